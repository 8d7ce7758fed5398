#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "lpot/strategies/strategy.h"
#include "tests/support/plans.h"

namespace lpot {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// A network whose ops bring noise of known power; the outputs' distance is its root, the loss of accuracy a multiple.
struct World {
  SearchSpace space = space_of(19);
  std::map<std::string, double> damage;  // power of an op in int8; others 1e-6
  Goal goal{.baseline = 0.9, .tolerance = 0.01, .relative = false};
  bool has_budget = false;

  double distance(const Plan& plan) const {
    double power = 0;
    for (const auto& [name, op] : plan.ops)
      if (op.precision == Precision::Int8) power += damage.contains(name) ? damage.at(name) : 1e-6;
    return std::sqrt(power);
  }
  double accuracy(const Plan& plan) const { return goal.baseline - std::min(0.8, 0.2 * distance(plan)); }

  struct Played {
    std::vector<Trial> trials;
    std::vector<Probe> probes;
  };

  Played play() const {
    Played played;
    const auto strategy = make_auto_strategy();
    while (played.trials.size() < 50) {
      const History history{played.trials, goal, 1978, played.probes, has_budget};
      if (history.met() && !has_budget) break;
      const auto step = strategy->next(space, history);
      if (!step) break;
      if (step->kind == Step::Kind::Probe) {
        played.probes.push_back({step->plan, distance(step->plan)});
        continue;
      }
      // Every op in int8 makes it faster.
      played.trials.push_back(
          trial(played.trials.size() + 1,
                measured(accuracy(step->plan), 1 + 0.1 * static_cast<double>(step->plan.int8_count()))));
      played.trials.back().plan = step->plan;
    }
    return played;
  }

  void tell_noise() { space.noise = damage; }
};

TEST(Auto, TriesOnePlanWhenThatPasses) {
  World world;
  const auto played = world.play();
  EXPECT_THAT(played.trials, SizeIs(1));
  EXPECT_THAT(played.probes, IsEmpty());
  EXPECT_EQ(played.trials[0].plan, world.space.plan(world.space.model_choices.front()));
}

TEST(Auto, FindsTheFewOpsThatDoHarm) {
  World world;
  world.damage = {{"conv3", 0.5}, {"conv12", 0.4}};
  world.tell_noise();
  const auto played = world.play();
  EXPECT_THAT(played.trials, SizeIs(2));
  EXPECT_THAT(played.trials.back().plan.fallback(), ElementsAre("conv12", "conv3"));
  EXPECT_LE(played.probes.size(), 20u);
}

TEST(Auto, FindsThemByProbesWhenTheExpectedNoiseIsWrong) {
  World world;
  world.damage = {{"conv3", 0.5}, {"conv12", 0.4}, {"fc", 0.3}};
  world.space.noise = {{"conv1", 1}, {"conv2", 2}, {"conv4", 3}};
  const auto played = world.play();
  EXPECT_TRUE(world.goal.met(played.trials.back().result->accuracy));
  EXPECT_LE(played.trials.size(), 4u);
  const auto fallback = played.trials.back().plan.fallback();
  for (const char* harmful : {"conv3", "conv12", "fc"}) EXPECT_THAT(fallback, testing::Contains(harmful));
  EXPECT_LE(fallback.size(), 10u);
}

TEST(Auto, ReturnsWhatFellBackWithoutNeed) {
  World world;
  world.damage = {{"conv3", 0.5}, {"conv12", 0.4}, {"conv7", 0.3}};
  // Two that do no harm are thought to be the worst.
  auto noise = world.damage;
  noise["conv1"] = 2;
  noise["conv2"] = 1;
  world.space.noise = noise;
  const auto played = world.play();
  EXPECT_THAT(played.trials.back().plan.fallback(), ElementsAre("conv12", "conv3", "conv7"));
}

// The first estimate of how loss and distance are related is wrong: losses begin at a smaller distance than expected.
TEST(Auto, LearnsFromASetThatShouldPassAndDoesNot) {
  World world;
  world.damage = {{"conv3", 0.5}, {"conv12", 0.01}, {"conv7", 0.01}};
  world.goal.tolerance = 0.001;
  world.tell_noise();
  const auto played = world.play();
  EXPECT_TRUE(world.goal.met(played.trials.back().result->accuracy));
  EXPECT_LE(played.trials.size(), 4u);
  EXPECT_THAT(played.trials.back().plan.fallback(), testing::IsSupersetOf({"conv12", "conv3", "conv7"}));
}

TEST(Auto, TakesAnotherSchemeWhenThatIsEnough) {
  World world;
  const OpPlan better = world.space.model_choices[1];
  // With the first scheme every op does harm, with the second none does.
  const auto distance = [&](const Plan& plan) {
    std::size_t bad = 0;
    for (const auto& [name, op] : plan.ops) bad += op.precision == Precision::Int8 && !(op == better);
    return std::sqrt(0.01 * static_cast<double>(bad));
  };
  std::vector<Trial> trials;
  std::vector<Probe> probes;
  const auto strategy = make_auto_strategy();
  while (trials.size() < 20) {
    const History history{trials, world.goal, 1978, probes};
    if (history.met()) break;
    const auto step = strategy->next(world.space, history);
    ASSERT_TRUE(step);
    if (step->kind == Step::Kind::Probe) {
      probes.push_back({step->plan, distance(step->plan)});
      continue;
    }
    trials.push_back(trial(trials.size() + 1, measured(0.9 - 0.2 * distance(step->plan))));
    trials.back().plan = step->plan;
  }
  EXPECT_THAT(trials, SizeIs(2));
  EXPECT_THAT(trials.back().plan.fallback(), IsEmpty());
}

TEST(Auto, WithABudgetGivesBackWhatCostsMostWhileTheGoalHolds) {
  World world;
  world.has_budget = true;
  world.damage = {{"conv3", 0.5}, {"conv12", 0.4}};
  world.space.noise = {{"conv3", 0.5}, {"conv12", 0.4}};
  world.space.saved_ms = {{"conv3", 2}, {"conv12", 1}};
  const auto played = world.play();
  ASSERT_GE(played.trials.size(), 4u);
  EXPECT_THAT(played.trials[1].plan.fallback(), ElementsAre("conv12", "conv3"));
  EXPECT_THAT(played.trials[2].plan.fallback(), ElementsAre("conv12")) << "conv3 saves most";
  EXPECT_THAT(played.trials[3].plan.fallback(), ElementsAre("conv3"));
  EXPECT_THAT(played.trials, SizeIs(4)) << "then there is no gain left";
}

TEST(Auto, EndsWithoutAPassAfterTryingAlmostEverythingInFp32) {
  World world;
  for (const OpSpace& op : world.space.ops) world.damage[op.name] = 10;
  world.tell_noise();
  const auto played = world.play();
  EXPECT_FALSE(world.goal.met(played.trials.back().result->accuracy));
  EXPECT_EQ(played.trials.back().plan.int8_count(), 1u);
  EXPECT_LE(played.trials.size(), 10u);
}

}  // namespace
}  // namespace lpot
