#include "lpot/strategies/precision_fallback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "lpot/strategies/kinds.h"
#include "tests/support/plans.h"

namespace lpot {
namespace {

const Goal kOneTenth{.baseline = 1.0, .tolerance = 0.1, .relative = false};

SearchSpace bf16_space(double unquantized_speedup = 1.5) {
  std::vector<QuantizableOp> ops{{"conv", "Convolution", "x", {0}}, {"fc", "MatMul", "y", {1}}};
  SearchSpace space{allowed_choices(ops, {}, kDeclaredRecipes, false, InferencePrecision::Bf16).value};
  space.unquantized_speedup = unquantized_speedup;
  return space;
}

using Scores = std::function<Measurement(const Plan&)>;

// The trials of a study without a time budget.
std::vector<Trial> run_study(const SearchSpace& space, const Scores& scores,
                             Objective objective = Objective::Performance,
                             std::shared_ptr<const Strategy> inner = make_basic_strategy()) {
  const auto strategy = with_precision_fallback(std::move(inner), objective);
  std::vector<Trial> trials;
  while (trials.size() < 50) {
    const History history(trials, kOneTenth);
    const auto step = history.met() ? strategy->before_stopping(space, history) : strategy->next(space, history);
    if (!step) break;
    trials.push_back(trial(trials.size() + 1, scores(step->plan)));
    trials.back().plan = step->plan;
  }
  return trials;
}

bool is_int8_in(const Plan& plan, InferencePrecision precision) {
  return plan.int8_count() > 0 && plan.inference_precision == precision;
}

TEST(PrecisionFallback, StopsAfterTheFirstInt8PlanIfItMeetsTheGoalAndIsFaster) {
  const auto trials = run_study(bf16_space(), [](const Plan&) { return measured(1.0, 2.0); });
  ASSERT_EQ(trials.size(), 1u);
  EXPECT_TRUE(is_int8_in(trials[0].plan, InferencePrecision::Bf16));
}

TEST(PrecisionFallback, TriesBf16IfInt8IsNotFaster) {
  const SearchSpace space = bf16_space(2.1);
  const auto trials =
      run_study(space, [](const Plan& plan) { return measured(1.0, plan.int8_count() > 0 ? 2.0 : 2.1); });
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[1].plan, unquantized_plan(space));
  EXPECT_EQ(best_known(trials, kOneTenth, Objective::Performance)->number, 2u);
}

TEST(PrecisionFallback, ABusyMachineDoesNotCauseATrialOfBf16) {
  const auto trials = run_study(bf16_space(1.7), [](const Plan&) {
    Measurement result = measured(1.0, 2.9);
    result.speedup_low = 1.6;  // other programs ran
    result.speedup_high = 3.1;
    return result;
  });
  EXPECT_EQ(trials.size(), 1u);
}

TEST(PrecisionFallback, DoesNotTryBf16ForASmallModel) {
  const auto trials = run_study(
      bf16_space(2.1), [](const Plan&) { return measured(1.0, 2.0); }, Objective::ModelSize);
  EXPECT_EQ(trials.size(), 1u);
}

TEST(PrecisionFallback, FallsBackToBf16IfThatMeetsTheGoal) {
  const auto trials = run_study(bf16_space(), [](const Plan& plan) {
    if (plan.int8_count() == 0) return measured(0.95, 1.5);
    return measured(plan.ops.at("fc").is_int8() ? 0.5 : 0.95, 1.8);
  });
  ASSERT_GE(trials.size(), 3u);
  EXPECT_EQ(trials[1].plan, unquantized_plan(bf16_space()));
  EXPECT_TRUE(trials.back().plan.ops.at("conv").is_int8());
  EXPECT_EQ(trials.back().plan.ops.at("fc").precision, Precision::Bf16);
  for (const Trial& one : trials) EXPECT_EQ(one.plan.inference_precision, InferencePrecision::Bf16);
}

TEST(PrecisionFallback, ContinuesInF32IfBf16MissesTheGoal) {
  const auto trials = run_study(bf16_space(), [](const Plan& plan) {
    const bool passes = plan.inference_precision == InferencePrecision::F32 && !plan.ops.at("fc").is_int8();
    return measured(passes ? 0.95 : 0.5, 1.8);
  });
  ASSERT_GE(trials.size(), 4u);
  EXPECT_TRUE(is_int8_in(trials[0].plan, InferencePrecision::Bf16));
  EXPECT_EQ(trials[1].plan.int8_count(), 0u);
  for (std::size_t i = 2; i < trials.size(); ++i)
    EXPECT_TRUE(is_int8_in(trials[i].plan, InferencePrecision::F32)) << "trial " << i + 1;
  EXPECT_EQ(trials.back().plan.ops.at("fc").precision, Precision::Fp32);
  EXPECT_EQ(trials.back().result->accuracy, 0.95);
}

TEST(PrecisionFallback, ContinuesWithInt8AfterATrialThatFailed) {
  std::vector<Trial> trials{failed_trial(1)};
  trials[0].plan = first_plan(bf16_space());
  const auto strategy = with_precision_fallback(make_basic_strategy(), Objective::Performance);
  const auto step = strategy->next(bf16_space(), {trials, kOneTenth});
  ASSERT_TRUE(step);
  EXPECT_TRUE(is_int8_in(step->plan, InferencePrecision::Bf16));
}

TEST(PrecisionFallback, NeverProposesAModelThatTheConfigurationForbids) {
  SearchSpace space = bf16_space(9.0);
  space.ops[1].choices.pop_back();  // fc must be int8
  for (const double accuracy : {0.5, 1.0})
    for (const Trial& one : run_study(space, [&](const Plan&) { return measured(accuracy, 0.9); }))
      EXPECT_TRUE(one.plan.ops.at("fc").is_int8()) << "trial " << one.number;
}

TEST(PrecisionFallback, TriesTheOriginalModelIfInt8IsSlower) {
  SearchSpace space = bf16_space();
  static_cast<PlanChoices&>(space) = in_f32(space);
  const auto trials =
      run_study(space, [](const Plan& plan) { return measured(1.0, plan.int8_count() > 0 ? 0.9 : 1.0); });
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[1].plan, unquantized_plan(space));
  EXPECT_EQ(best_known(trials, kOneTenth, Objective::Performance)->number, 2u);
}

TEST(PrecisionFallback, LeavesSearchesInF32ToTheStrategy) {
  const SearchSpace space = space_of(2);
  const auto strategy = with_precision_fallback(make_basic_strategy(), Objective::Performance);
  const auto inner = make_basic_strategy();
  std::vector<Trial> trials;
  for (int i = 0; i < 12; ++i) {
    const History history(trials, kOneTenth);
    const auto step = strategy->next(space, history);
    ASSERT_EQ(step, inner->next(space, history));
    if (!step) break;
    trials.push_back(trial(trials.size() + 1, measured(0.5)));
    trials.back().plan = step->plan;
  }
}

TEST(PrecisionFallback, ExhaustiveSearchStillTriesEveryCombination) {
  QuantizationConfig config;
  config.model_wise.weight.granularities = {Granularity::PerChannel};
  config.model_wise.activation.algorithms = {Algorithm::MinMax};
  std::vector<QuantizableOp> ops{{"conv", "Convolution", "x", {0}}, {"fc", "MatMul", "y", {1}}};
  const SearchSpace space{allowed_choices(ops, config, kDeclaredRecipes, false, InferencePrecision::Bf16).value};
  const auto trials = run_study(
      space, [](const Plan& plan) { return measured(plan.int8_count() == 0 ? 0.95 : 0.5); }, Objective::Performance,
      make_exhaustive_strategy());
  // Each op is asymmetric, symmetric or bf16: 9 plans, one of them without int8.
  EXPECT_EQ(trials.size(), 9u);
}

}  // namespace
}  // namespace lpot
