#include "lpot/plan/goal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/plans.h"

namespace lpot {
namespace {

Goal relative(double baseline, double tolerance, bool higher_is_better = true) {
  return {.baseline = baseline, .tolerance = tolerance, .relative = true, .higher_is_better = higher_is_better};
}

Goal absolute(double baseline, double tolerance, bool higher_is_better = true) {
  return {.baseline = baseline, .tolerance = tolerance, .relative = false, .higher_is_better = higher_is_better};
}

TEST(Goal, RelativeToleranceIsAShareOfTheBaseline) {
  EXPECT_DOUBLE_EQ(relative(0.8, 0.1).threshold(), 0.72);
  EXPECT_DOUBLE_EQ(relative(80, 0.1).threshold(), 72);
}

TEST(Goal, AbsoluteToleranceIsInTheMetricsOwnUnit) {
  EXPECT_DOUBLE_EQ(absolute(0.8, 0.1).threshold(), 0.7);
  EXPECT_DOUBLE_EQ(absolute(80, 0.1).threshold(), 79.9);
}

TEST(Goal, LowerIsBetterMovesTheThresholdUp) {
  EXPECT_DOUBLE_EQ(relative(0.5, 0.1, false).threshold(), 0.55);
  EXPECT_DOUBLE_EQ(absolute(0.5, 0.1, false).threshold(), 0.6);
  EXPECT_TRUE(relative(0.5, 0.1, false).met(0.1));
  EXPECT_FALSE(relative(0.5, 0.1, false).met(0.56));
}

// 0.891 is not exact in binary. A trial that loses exactly the allowed loss must still meet the goal.
TEST(Goal, IsMetExactlyAtTheThreshold) {
  for (int permille = 1; permille <= 1000; ++permille) {
    const double baseline = permille / 1000.0;
    EXPECT_TRUE(relative(baseline, 0.01).met(permille * 99 / 100000.0)) << baseline;
    EXPECT_TRUE(absolute(baseline, 0.001).met((permille - 1) / 1000.0)) << baseline;
    EXPECT_TRUE(absolute(baseline, 0.001, false).met((permille + 1) / 1000.0)) << baseline;
    EXPECT_TRUE(absolute(baseline, 0).met(baseline));
  }
}

TEST(Goal, IsNotMetOneSampleOfAMillionBelowTheThreshold) {
  EXPECT_FALSE(relative(0.9, 0.01).met(0.891 - 1e-6));
  EXPECT_FALSE(absolute(0.9, 0).met(0.9 - 1e-6));
  EXPECT_FALSE(absolute(0.9, 0, false).met(0.9 + 1e-6));
}

TEST(Goal, RelativeToleranceUsesTheMagnitudeOfANegativeBaseline) {
  EXPECT_DOUBLE_EQ(relative(-2.0, 0.1).threshold(), -2.2);
  EXPECT_DOUBLE_EQ(relative(-2.0, 0.1, false).threshold(), -1.8);
  EXPECT_TRUE(relative(-2.0, 0.1).met(-2.1));
  EXPECT_FALSE(relative(-2.0, 0.1).met(-2.3));
}

TEST(Goal, ABaselineOfZeroAllowsOnlyTheAbsoluteTolerance) {
  EXPECT_TRUE(absolute(0, 0.1, false).met(0.1));
  EXPECT_FALSE(absolute(0, 0.1, false).met(0.11));
  EXPECT_FALSE(relative(0, 0.1, false).met(1e-9));
}

TEST(Goal, EveryAccuracyMeetsPerformanceOnly) {
  Goal goal = relative(0.9, 0.01);
  goal.performance_only = true;
  EXPECT_TRUE(goal.met(0));
  EXPECT_TRUE(goal.met(-5));
}

TEST(Goal, IsNeverMetByNan) { EXPECT_FALSE(absolute(0.9, 1).met(std::nan(""))); }

TEST(Goal, DescribesTheThresholdAndHowItIsComputed) {
  EXPECT_EQ(relative(0.9173, 0.002).describe(), "at least 0.9155 (0.9173 less 0.2% relative)");
  EXPECT_EQ(absolute(0.25, 0.05, false).describe(), "at most 0.3000 (0.2500 plus 0.05 absolute)");
}

const Goal kGoal = absolute(0.9, 0.1);  // met from 0.8 on

TEST(IsBetter, ATrialThatMeetsTheGoalComesBeforeAFasterOneThatDoesNot) {
  const Trial meets = trial(1, measured(0.81, 1.1)), fast = trial(2, measured(0.79, 9.0));
  EXPECT_TRUE(is_better(meets, fast, kGoal, Objective::Performance));
  EXPECT_FALSE(is_better(fast, meets, kGoal, Objective::Performance));
}

TEST(IsBetter, TheObjectiveDecidesAmongTrialsThatMeetTheGoal) {
  const Trial fast = trial(1, measured(0.80, 3.0, 300, 200));
  const Trial small = trial(2, measured(0.85, 2.0, 100, 300));
  const Trial slim = trial(3, measured(0.90, 1.0, 200, 100));
  const auto first = [&](Objective objective) {
    const Trial* best = &fast;
    for (const Trial* other : {&small, &slim})
      if (is_better(*other, *best, kGoal, objective)) best = other;
    return best->number;
  };
  EXPECT_EQ(first(Objective::Performance), 1u);
  EXPECT_EQ(first(Objective::ModelSize), 2u);
  EXPECT_EQ(first(Objective::Footprint), 3u);
}

TEST(IsBetter, AccuracyDecidesAmongTrialsShortOfTheGoal) {
  EXPECT_TRUE(is_better(trial(2, measured(0.7, 1)), trial(1, measured(0.6, 5)), kGoal, Objective::Performance));
  const Goal lower = absolute(0.1, 0.1, false);
  EXPECT_TRUE(is_better(trial(2, measured(0.3, 1)), trial(1, measured(0.4, 5)), lower, Objective::Performance));
}

TEST(IsBetter, AFailedTrialIsAlwaysWorst) {
  EXPECT_TRUE(is_better(trial(2, measured(0)), failed_trial(1), kGoal, Objective::Performance));
  EXPECT_FALSE(is_better(failed_trial(1), trial(2, measured(0)), kGoal, Objective::Performance));
  EXPECT_FALSE(is_better(failed_trial(1), failed_trial(2), kGoal, Objective::Performance));
}

TEST(IsBetter, NeitherOfTwoEqualTrialsIsBetter) {
  const Trial one = trial(1, measured(0.85, 2)), two = trial(2, measured(0.85, 2));
  for (const Objective objective : {Objective::Performance, Objective::ModelSize, Objective::Footprint}) {
    EXPECT_FALSE(is_better(one, two, kGoal, objective));
    EXPECT_FALSE(is_better(two, one, kGoal, objective));
  }
}

TEST(BestKnown, PrefersCompletelyEvaluatedTrialsToEstimates) {
  Measurement estimate = measured(0.75);
  estimate.complete = false;
  const std::vector<Trial> trials{failed_trial(1), trial(2, estimate), trial(3, measured(0.6)),
                                  trial(4, measured(0.7))};
  const auto best_of = [&](std::size_t count) {
    const Trial* best = best_known(std::span(trials).first(count), kGoal, Objective::Performance);
    return best ? best->number : 0;
  };
  EXPECT_EQ(best_of(1), 0u);
  EXPECT_EQ(best_of(2), 2u) << "there is no other trial";
  EXPECT_EQ(best_of(3), 3u);
  EXPECT_EQ(best_of(4), 4u);
}

}  // namespace
}  // namespace lpot
