// Statistics of interleaved blocks. The numbers are synthetic: no test depends on the speed of the machine.
#include "lpot/runtime/comparison.h"

#include <numeric>

#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::Gt;

// Ranks from tables of the sign test.
TEST(IntervalRank, IsThatOfTheSignTest) {
  const std::vector<std::pair<std::size_t, std::size_t>> table{{0, 0}, {1, 0},  {5, 0},  {6, 1},   {8, 1},
                                                               {9, 2}, {15, 4}, {20, 6}, {50, 18}, {100, 40}};
  for (const auto& [count, rank] : table) EXPECT_EQ(interval_rank(count), rank) << count << " ratios";
}

TEST(IntervalRank, IsKnownForManyRatios) {
  const double expected = 5000 - 0.98 * 100;  // n/2 - 1.96/2 sqrt(n)
  EXPECT_NEAR(static_cast<double>(interval_rank(10000)), expected, 2);
}

TEST(MedianOfRatios, ExcludesOutliersFromItsInterval) {
  std::vector<double> ratios(20, 1.4);
  std::iota(ratios.begin(), ratios.begin() + 5, 10.0);  // five blocks during which another program ran
  ratios[7] = 1.38;
  const TimeRatio ratio = median_of_ratios(ratios);
  EXPECT_EQ(ratio, (TimeRatio{1.4, 1.4, 1.4, 20}));
}

TEST(MedianOfRatios, OfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle) {
  EXPECT_DOUBLE_EQ(median_of_ratios({1.2, 1.0, 1.6, 1.4}).median, 1.3);
}

TEST(MedianOfRatios, OfFewRatiosSpansAllOfThemAndDecidesNothing) {
  const TimeRatio ratio = median_of_ratios({2.0, 2.2, 2.1});
  EXPECT_EQ(ratio, (TimeRatio{2.1, 2.0, 2.2, 3}));
  EXPECT_FALSE(ratio.is_faster_beyond_spread());
  EXPECT_FALSE(median_of_ratios({0.5, 0.5, 0.5, 0.5, 0.5}).is_slower_beyond_spread());
  EXPECT_TRUE(median_of_ratios({0.5, 0.5, 0.5, 0.5, 0.5, 0.5}).is_slower_beyond_spread());
  EXPECT_EQ(median_of_ratios({}), TimeRatio{});
}

TEST(TimeRatio, IsFasterOrSlowerOnlyIfItsWholeIntervalIs) {
  const auto verdict = [](double low, double high) {
    const TimeRatio ratio{(low + high) / 2, low, high, 20};
    return std::pair(ratio.is_faster_beyond_spread(), ratio.is_slower_beyond_spread());
  };
  EXPECT_EQ(verdict(1.05, 1.5), std::pair(true, false));
  EXPECT_EQ(verdict(0.98, 1.5), std::pair(false, false));
  EXPECT_EQ(verdict(0.5, 1.1), std::pair(false, false));
  EXPECT_EQ(verdict(0.5, 0.9), std::pair(false, true));
  EXPECT_EQ(verdict(1.005, 1.01), std::pair(false, false)) << "processes differ by that much";
  EXPECT_EQ(verdict(0.985, 0.995), std::pair(false, false)) << "processes differ by that much";
}

TEST(TimeRatio, OfBlocksCancelsLoadThatAffectsBothModels) {
  std::vector<BlockTime> reference, model;
  for (int round = 0; round < 20; ++round) {
    const double load = 1 + 0.1 * round;  // grows during the measurement
    reference.push_back({3 * load, 2});
    model.push_back({1.5 * load, 1.6});
  }
  EXPECT_NEAR(time_ratio(reference, model, TimeBasis::Wall).low, 2, 1e-9);
  EXPECT_NEAR(time_ratio(reference, model, TimeBasis::Wall).high, 2, 1e-9);
  EXPECT_NEAR(time_ratio(reference, model, TimeBasis::Cpu).median, 1.25, 1e-9);
  const Comparison compared{.latencies = {}, .blocks = {reference, model}, .basis = TimeBasis::Wall};
  EXPECT_NEAR(compared.ratio(1).median, 2, 1e-9);
  EXPECT_NEAR(compared.ratio(0, 1).median, 0.5, 1e-9);
}

TEST(TimeRatio, IgnoresBlocksWithoutATimeAndBlocksOfOneModelOnly) {
  const std::vector<BlockTime> reference{{2, 2}, {2, 0}, {2, 2}}, model{{1, 1}, {1, 1}};
  EXPECT_EQ(time_ratio(reference, model, TimeBasis::Cpu).blocks, 1u);
  EXPECT_EQ(time_ratio(reference, model, TimeBasis::Wall).blocks, 2u);
}

struct CompareLatency : ::testing::Test {
  static Model network() {
    const auto x = parameter({-1, 3}, "x");
    return as_model({std::make_shared<op::Relu>(x)}, {x});
  }

  const Model model = network();
  Executable first{model, {.threads = 1}}, second{model, {.threads = 1}};
  const std::vector<Tensor> inputs = generate_inputs(model, 2);
};

TEST_F(CompareLatency, RunsAtLeastAsManyBlocksAsAsked) {
  const Comparison found =
      compare_latency({{first, {inputs}}, {second, {inputs}}}, {.seconds = 0, .threads = 1, .min_blocks = 5});
  ASSERT_EQ(found.latencies.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found.blocks[i].size(), 5u);
    EXPECT_THAT(found.blocks[i], Each(Field(&BlockTime::wall_ms, Gt(0))));
    EXPECT_THAT(found.blocks[i], Each(Field(&BlockTime::cpu_ms, Gt(0)))) << "the calling thread does the work";
    EXPECT_GE(found.latencies[i].runs, 5u);
    EXPECT_LE(found.latencies[i].median_ms, found.latencies[i].p99_ms);
  }
  EXPECT_EQ(found.ratio(1).blocks, 5u);
}

TEST_F(CompareLatency, RunsNoModelMoreOftenThanAskedAndStillInSeveralBlocks) {
  const auto batches = std::vector{inputs, generate_inputs(model, 2)};
  const Comparison found = compare_latency({{first, batches}, {second, batches}}, {.min_blocks = 25, .max_runs = 25});
  EXPECT_EQ(found.latencies[0].runs, 25u);
  EXPECT_EQ(found.latencies[1].runs, 25u);
  EXPECT_EQ(found.blocks[0].size(), 25u);
}

}  // namespace
}  // namespace lpot
