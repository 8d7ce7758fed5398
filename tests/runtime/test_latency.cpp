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

TEST(MeasureLatency, RunsEveryModelAtLeastAsOftenAsAsked) {
  const auto x = parameter({-1, 3}, "x");
  const Model model = as_model({std::make_shared<op::Relu>(x)}, {x});
  Executable first(model), second(model);
  const auto inputs = generate_inputs(model, 2);
  EXPECT_EQ(inputs[0].shape(), (Shape{2, 3}));
  const auto found = measure_latency({{first, {inputs}}, {second, {inputs}}}, {.seconds = 0, .min_runs = 5});
  ASSERT_EQ(found.size(), 2u);
  for (const Latency& latency : found) {
    EXPECT_GE(latency.runs, 5u);
    EXPECT_GT(latency.median_ms, 0);
    EXPECT_LE(latency.median_ms, latency.p99_ms);
  }
}

TEST(MeasureLatency, RunsNoModelMoreOftenThanAsked) {
  const auto x = parameter({-1, 3}, "x");
  const Model model = as_model({std::make_shared<op::Relu>(x)}, {x});
  Executable first(model), second(model);
  const auto batches = std::vector{generate_inputs(model, 2), generate_inputs(model, 2)};
  const auto found = measure_latency({{first, batches}, {second, batches}}, {.min_runs = 25, .max_runs = 25});
  EXPECT_EQ(found[0].runs, 25u);
  EXPECT_EQ(found[1].runs, 25u);
}

TEST(GenerateInputs, NamesAnInputWithADynamicLength) {
  const auto x = parameter({-1, -1}, "tokens", ov::element::i64);
  const Model model = as_model({std::make_shared<op::Add>(x, x)}, {x});
  EXPECT_THAT(message_of<ModelError>([&] { generate_inputs(model, 1); }), ::testing::HasSubstr("tokens i64 [?,?]"));
}

}  // namespace
}  // namespace lpot
