#include "lpot/core/cpu_contention.h"

#include <gmock/gmock.h>

namespace lpot {
namespace {

TEST(CpuContention, ReadsTheFirstLineOfProcStat) {
  EXPECT_EQ(parse_cpu_ticks("cpu  100 10 20 700 50 3 7 110 5 0\ncpu0 1 2 3 4 5 6 7 8\n"), (CpuTicks{1000, 250}));
  EXPECT_EQ(parse_cpu_ticks("cpu 100 10 20 70"), (CpuTicks{200, 130})) << "format of old kernels";
  EXPECT_FALSE(parse_cpu_ticks("cpu0 1 2 3 4 5 6 7 8"));
  EXPECT_FALSE(parse_cpu_ticks("cpu 1 2"));
  EXPECT_FALSE(parse_cpu_ticks(""));
}

TEST(CpuContention, ReadsTheTimesOfAProcess) {
  const std::string head = "123 (a (strange) name) S 1 123 123 0 -1 4194560 5 0 0 0 ";
  EXPECT_EQ(parse_process_ticks(head + "30 12 0 0 20 0 1 0 100\n"), 42u);
  EXPECT_EQ(parse_process_ticks("123 (name) S 1"), 0u);
  EXPECT_EQ(parse_process_ticks(""), 0u);
}

TEST(CpuContention, ReturnsAShareBetween0And1) {
  const CpuContention load;
  EXPECT_GE(load.share(), 0.0);
  EXPECT_LE(load.share(), 1.0);
}

}  // namespace
}  // namespace lpot
