#include <numeric>

#include "lpot/core/error.h"
#include "lpot/runtime/latency.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

TEST(Summarize, UsesTheNearestRank) {
  std::vector<double> times(100);
  std::iota(times.rbegin(), times.rend(), 1.0);  // 100, 99, ..., 1
  const Latency latency = summarize(times);
  EXPECT_EQ(latency.p25_ms, 25);
  EXPECT_EQ(latency.median_ms, 50);
  EXPECT_EQ(latency.p90_ms, 90);
  EXPECT_EQ(latency.p99_ms, 99);
  EXPECT_EQ(latency.runs, 100u);
}

TEST(Summarize, ReturnsASingleTimeForAllPercentiles) {
  const Latency latency = summarize({7.5});
  EXPECT_EQ(latency.median_ms, 7.5);
  EXPECT_EQ(latency.p99_ms, 7.5);
}

TEST(GenerateInputs, HaveTheBatchSize) {
  const auto x = parameter({-1, 3}, "x");
  const Model model = as_model({std::make_shared<op::Relu>(x)}, {x});
  EXPECT_EQ(generate_inputs(model, 2)[0].shape(), (Shape{2, 3}));
}

TEST(GenerateInputs, NamesAnInputWithADynamicLength) {
  const auto x = parameter({-1, -1}, "tokens", ov::element::i64);
  const Model model = as_model({std::make_shared<op::Add>(x, x)}, {x});
  EXPECT_THAT(message_of<ModelError>([&] { generate_inputs(model, 1); }), ::testing::HasSubstr("tokens i64 [?,?]"));
}

}  // namespace
}  // namespace lpot
