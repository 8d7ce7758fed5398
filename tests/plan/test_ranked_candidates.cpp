#include "lpot/plan/ranked_candidates.h"

#include <gtest/gtest.h>

#include <limits>

namespace lpot {
namespace {

const Goal kRankingGoal{.baseline = 0.9, .tolerance = 0.01};

Plan plan_with(Algorithm algorithm) {
  Plan plan;
  plan.ops["conv"] = {.precision = Precision::Int8, .activation = {.algorithm = algorithm}};
  return plan;
}

Probe estimate(Algorithm algorithm, int level, double loss) {
  return {.plan = plan_with(algorithm),
          .distance = std::numeric_limits<double>::infinity(),
          .level = level,
          .loss = loss,
          .loss_error = 0.004 / level,
          .samples = 100,
          .used_samples = 100 * static_cast<std::size_t>(level)};
}

TEST(RankedCandidates, AreSortedByEstimatedAccuracyAndKnowTheirTrials) {
  const std::vector<Probe> probes{estimate(Algorithm::MinMax, 1, 0.02), estimate(Algorithm::Kl, 1, 0.005),
                                  estimate(Algorithm::Mse, 1, -0.001)};
  Trial tried;
  tried.number = 3;
  tried.plan = plan_with(Algorithm::Kl);
  const auto found = ranked_candidates(probes, std::vector{tried}, kRankingGoal);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].plan, plan_with(Algorithm::Mse));
  EXPECT_DOUBLE_EQ(*found[0].estimated_accuracy, 0.901);
  EXPECT_EQ(found[0].trial, std::nullopt);
  EXPECT_EQ(found[1].trial, 3u);
  EXPECT_DOUBLE_EQ(*found[2].estimated_accuracy, 0.88);
}

TEST(RankedCandidates, EndWithTheModelWithoutInt8) {
  std::vector<Probe> probes{estimate(Algorithm::Kl, 1, 0), estimate(Algorithm::MinMax, 1, 0.02)};
  probes[0].plan.ops["conv"].precision = Precision::Fp32;
  const auto found = ranked_candidates(probes, {}, kRankingGoal);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].plan, plan_with(Algorithm::MinMax));
}

TEST(RankedCandidates, HaveTheEstimateWithMoreSamples) {
  const std::vector<Probe> probes{estimate(Algorithm::Kl, 2, 0.01), estimate(Algorithm::Kl, 1, 0.005)};
  const auto found = ranked_candidates(probes, {}, kRankingGoal);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_DOUBLE_EQ(*found[0].estimated_accuracy, 0.89);
  EXPECT_EQ(found[0].error, 0.002);
  EXPECT_EQ(found[0].samples, 200u);
}

TEST(RankedCandidates, AddTheLossIfLowerIsBetter) {
  const Goal goal{.baseline = 2.0, .higher_is_better = false};
  const std::vector<Probe> probes{estimate(Algorithm::MinMax, 1, 0.5), estimate(Algorithm::Kl, 1, 0.25)};
  const auto found = ranked_candidates(probes, {}, goal);
  EXPECT_EQ(found[0].estimated_accuracy, 2.25);
  EXPECT_EQ(found[1].estimated_accuracy, 2.5);
}

TEST(RankedCandidates, HaveADistanceWithoutAnEstimateAndFailedOnesAreLast) {
  std::vector<Probe> probes(3);
  probes[0] = {.plan = plan_with(Algorithm::MinMax), .distance = std::numeric_limits<double>::infinity(), .level = 1};
  probes[1] = {.plan = plan_with(Algorithm::Kl), .distance = 0.3, .level = 1};
  probes[2] = {.plan = plan_with(Algorithm::Mse), .distance = 0.2, .level = 1};
  const auto found = ranked_candidates(probes, {}, kRankingGoal);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].distance, 0.2);
  EXPECT_EQ(found[1].distance, 0.3);
  EXPECT_EQ(found[2].distance, std::nullopt);
  EXPECT_EQ(found[0].estimated_accuracy, std::nullopt);
}

TEST(RankedCandidates, DoNotIncludeProbesThatCompareOutputsToFindFallbackOps) {
  EXPECT_TRUE(
      ranked_candidates(std::vector<Probe>{{.plan = plan_with(Algorithm::Kl), .distance = 0.1}}, {}, kRankingGoal)
          .empty());
}

}  // namespace
}  // namespace lpot
