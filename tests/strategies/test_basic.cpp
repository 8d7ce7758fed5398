#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "lpot/strategies/kinds.h"
#include "tests/support/plans.h"

namespace lpot {
namespace {

using testing::ElementsAre;
using Answer = std::function<std::optional<Measurement>(const Plan&)>;

// The trials of basic if no plan meets the goal.
std::vector<Trial> run_basic(const SearchSpace& space, const Answer& answer) {
  const Goal goal{.baseline = 2.0, .tolerance = 0, .relative = false};
  const auto strategy = make_basic_strategy();
  std::vector<Trial> trials;
  while (const auto step = strategy->next(space, {trials, goal, 1978})) {
    Trial next = failed_trial(trials.size() + 1);
    next.plan = step->plan;
    next.result = answer(step->plan);
    trials.push_back(next);
  }
  return trials;
}

// Ops in fp32 increase the accuracy: fc most, then conv3, conv2, conv1.
std::optional<Measurement> later_ops_help_more(const Plan& plan) {
  double accuracy = 0.5;
  for (const std::string& name : plan.fallback()) accuracy += name == "fc" ? 0.08 : 0.01 * (name.back() - '0');
  return measured(accuracy);
}

std::vector<std::vector<std::string>> fallbacks(const std::vector<Trial>& trials, std::size_t from) {
  std::vector<std::vector<std::string>> names;
  for (std::size_t i = from; i < trials.size(); ++i) names.push_back(trials[i].plan.fallback());
  return names;
}

TEST(Basic, TriesTheWholeModelInEverySchemeFirst) {
  const SearchSpace space = space_of(3);
  const std::vector<Trial> trials = run_basic(space, later_ops_help_more);
  ASSERT_GT(trials.size(), space.model_choices.size());
  for (std::size_t i = 0; i < space.model_choices.size(); ++i)
    EXPECT_EQ(trials[i].plan, space.plan(space.model_choices[i])) << i;
}

TEST(Basic, RevertsEachOpAloneFromTheEndThenTheMostHelpfulTogether) {
  const SearchSpace space = space_of(3);
  const std::vector<Trial> trials = run_basic(space, later_ops_help_more);
  EXPECT_THAT(fallbacks(trials, space.model_choices.size()),
              ElementsAre(ElementsAre("fc"), ElementsAre("conv3"), ElementsAre("conv2"), ElementsAre("conv1"),
                          ElementsAre("conv3", "fc"), ElementsAre("conv2", "conv3", "fc")));
}

TEST(Basic, FallsBackFromTheMostAccurateScheme) {
  const SearchSpace space = space_of(2);
  const Plan favourite = space.plan(space.model_choices.back());
  const std::vector<Trial> trials = run_basic(
      space, [&](const Plan& plan) -> std::optional<Measurement> { return measured(plan == favourite ? 0.9 : 0.5); });
  for (std::size_t i = space.model_choices.size(); i < trials.size(); ++i)
    for (const auto& [name, op] : trials[i].plan.ops)
      EXPECT_TRUE(op == favourite.ops.at(name) || op.precision == Precision::Fp32) << i << name;
}

TEST(Basic, SkipsOpsWhoseFallbackFailed) {
  const SearchSpace space = space_of(3);
  const std::vector<Trial> trials = run_basic(space, [](const Plan& plan) -> std::optional<Measurement> {
    if (plan.fallback() == std::vector<std::string>{"conv3"}) return std::nullopt;
    return later_ops_help_more(plan);
  });
  EXPECT_THAT(fallbacks(trials, space.model_choices.size() + 4),
              ElementsAre(ElementsAre("conv2", "fc"), ElementsAre("conv1", "conv2", "fc")));
}

TEST(Basic, EndsIfAllWholeModelSchemesFailed) {
  const SearchSpace space = space_of(3);
  EXPECT_EQ(run_basic(space, [](const Plan&) { return std::nullopt; }).size(), space.model_choices.size());
}

}  // namespace
}  // namespace lpot
