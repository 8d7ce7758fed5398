#include "lpot/plan/trial.h"

#include <gtest/gtest.h>

namespace lpot {
namespace {

TEST(MeasuredFromJson, ReadsStudiesOfVersionsWithoutASpread) {
  const Measurement measured = measurement_from_json(
      R"({"accuracy": 0.9, "metrics": [], "latency_ms": 1.5, "speedup": 2.0, "size_bytes": 100,
          "footprint_bytes": 200, "samples": 10})");
  EXPECT_EQ(measured.speedup, 2.0);
  EXPECT_EQ(measured.speedup_low, 0);
  EXPECT_EQ(measured.speedup_high, 0);
  EXPECT_EQ(measured.cores, 0);
}

}  // namespace
}  // namespace lpot
