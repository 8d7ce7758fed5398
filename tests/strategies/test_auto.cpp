#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "lpot/strategies/kinds.h"
#include "tests/support/plans.h"

namespace lpot {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// A simulated model whose int8 ops add noise of known power. The distance of the outputs is the square root of the
// power. Unless a test says otherwise, the accuracy loss is proportional to the distance, and probes measure distances
// only.
struct SimulatedModel {
  SearchSpace space = space_of(19);
  std::map<std::string, double> damage;  // noise power by op; 1e-6 for other ops
  Goal goal{.baseline = 0.9, .tolerance = 0.01, .relative = false};
  bool has_budget = false;
  bool has_estimates = false;
  std::function<double(double power)> loss = [](double power) { return 0.2 * std::sqrt(power); };

  double floor = 0;         // noise power of the precision of ops that are not int8
  double without_int8 = 0;  // the same if no op is int8

  double distance(const Plan& plan) const {
    double power = plan.int8_count() > 0 ? floor : without_int8;
    for (const auto& [name, op] : plan.ops)
      if (op.precision == Precision::Int8) power += damage.contains(name) ? damage.at(name) : 1e-6;
    return std::sqrt(power);
  }
  double accuracy(const Plan& plan) const { return goal.baseline - std::min(0.8, loss(std::pow(distance(plan), 2))); }
  // Every int8 op makes the model faster.
  double speedup(const Plan& plan) const {
    double saved = 0.1 * static_cast<double>(plan.int8_count());
    for (const auto& [name, ms] : space.saved_ms)
      if (plan.ops.at(name).is_int8()) saved += ms;
    return 1 + saved;
  }

  struct StudyRun {
    std::vector<Trial> trials;
    std::vector<Probe> probes;
  };

  StudyRun run_study() const {
    StudyRun run;
    const auto strategy = make_auto_strategy();
    while (run.trials.size() < 50) {
      const History history{run.trials, goal, 1978, run.probes, has_budget};
      const bool stops = history.met() && !has_budget;
      if (stops && space.saved_ms.empty()) break;
      const auto step = stops ? strategy->before_stopping(space, history) : strategy->next(space, history);
      if (!step) break;
      if (step->kind == Step::Kind::Probe) {
        run.probes.push_back({step->plan, distance(step->plan)});
        run.probes.back().level = step->level;
        if (has_estimates && step->level > 0) {
          run.probes.back().loss = goal.baseline - accuracy(step->plan);
          run.probes.back().loss_error = 0.002;
          run.probes.back().loss_spread = 0.001;
        }
        continue;
      }
      run.trials.push_back(trial(run.trials.size() + 1, measured(accuracy(step->plan), speedup(step->plan))));
      run.trials.back().plan = step->plan;
    }
    return run;
  }

  void set_expected_noise() { space.noise = damage; }
};

TEST(Auto, TriesOnlyOnePlanIfItMeetsTheGoal) {
  SimulatedModel model;
  const auto run = model.run_study();
  EXPECT_THAT(run.trials, SizeIs(1));
  EXPECT_THAT(run.probes, IsEmpty());
  EXPECT_EQ(run.trials[0].plan, model.space.plan(model.space.model_choices.front()));
}

TEST(Auto, FindsTheFewHarmfulOps) {
  SimulatedModel model;
  model.damage = {{"conv3", 0.5}, {"conv12", 0.4}};
  model.set_expected_noise();
  const auto run = model.run_study();
  EXPECT_THAT(run.trials, SizeIs(2));
  EXPECT_THAT(run.trials.back().plan.fallback(), ElementsAre("conv12", "conv3"));
  EXPECT_LE(run.probes.size(), 24u);
}

TEST(Auto, FindsHarmfulOpsWithProbesIfTheExpectedNoiseIsWrong) {
  SimulatedModel model;
  model.damage = {{"conv3", 0.5}, {"conv12", 0.4}, {"fc", 0.3}};
  model.space.noise = {{"conv1", 1}, {"conv2", 2}, {"conv4", 3}};
  const auto run = model.run_study();
  EXPECT_TRUE(model.goal.met(run.trials.back().result->accuracy));
  EXPECT_LE(run.trials.size(), 4u);
  const auto fallback = run.trials.back().plan.fallback();
  for (const char* harmful : {"conv3", "conv12", "fc"}) EXPECT_THAT(fallback, testing::Contains(harmful));
  EXPECT_LE(fallback.size(), 10u);
}

TEST(Auto, ReturnsOpsThatFellBackNeedlessly) {
  SimulatedModel model;
  model.damage = {{"conv3", 0.5}, {"conv12", 0.4}, {"conv7", 0.3}};
  // Two harmless ops have the largest expected noise.
  auto noise = model.damage;
  noise["conv1"] = 2;
  noise["conv2"] = 1;
  model.space.noise = noise;
  const auto run = model.run_study();
  EXPECT_THAT(run.trials.back().plan.fallback(), ElementsAre("conv12", "conv3", "conv7"));
}

// The first estimate of the ratio of loss and distance is wrong: losses start at a smaller distance than expected.
TEST(Auto, LearnsFromATrialThatUnexpectedlyMissesTheGoal) {
  SimulatedModel model;
  model.damage = {{"conv3", 0.5}, {"conv12", 0.01}, {"conv7", 0.01}};
  model.goal.tolerance = 0.001;
  model.set_expected_noise();
  const auto run = model.run_study();
  EXPECT_TRUE(model.goal.met(run.trials.back().result->accuracy));
  EXPECT_LE(run.trials.size(), 4u);
  EXPECT_THAT(run.trials.back().plan.fallback(), testing::IsSupersetOf({"conv12", "conv3", "conv7"}));
}

// The accuracy depends on the power of the noise, so after two ops fell back, a few more are enough. The distance would
// have to become as small as that of three ops.
TEST(Auto, GrowsTheFallbackSetGradually) {
  SimulatedModel model;
  model.space = space_of(43);
  for (const OpSpace& op : model.space.ops) model.damage[op.name] = 0.001;
  model.damage["conv3"] = model.damage["conv12"] = 0.5;
  model.set_expected_noise();
  model.has_estimates = true;
  model.loss = [](double power) { return power < 0.1 ? 0.28 * power : 0.3; };
  const auto run = model.run_study();
  EXPECT_TRUE(model.goal.met(run.trials.back().result->accuracy));
  EXPECT_THAT(run.trials.back().plan.fallback(), testing::IsSupersetOf({"conv12", "conv3"}));
  EXPECT_LE(run.trials.back().plan.fallback().size(), 12u) << "10 are enough";
  EXPECT_LE(run.trials.size(), 5u);
}

// One harmful op is enough to miss the goal by far, and there are six. The model without one of them is as bad as with
// all of them.
TEST(Auto, FindsHarmfulOpsThatHideEachOther) {
  SimulatedModel model;
  model.space = space_of(43);
  std::vector<std::string> harmful{"conv11", "conv2", "conv23", "conv3", "conv41", "conv5"};
  for (const OpSpace& op : model.space.ops) model.space.noise[op.name] = 1;
  for (const std::string& op : harmful) {
    model.damage[op] = 1;
    model.space.noise[op] = 2;
  }
  model.has_estimates = true;
  model.loss = [](double power) { return power > 0.1 ? 0.4 : power; };
  const auto run = model.run_study();
  EXPECT_THAT(run.trials.back().plan.fallback(), testing::ElementsAreArray(harmful));
  EXPECT_LE(run.trials.size(), 3u);
  EXPECT_LE(run.probes.size(), 40u);
}

// bf16 adds more noise to the outputs than most ops in int8, and even more without int8, where other kernels run.
TEST(Auto, SubtractsTheNoiseOf16Bits) {
  SimulatedModel model;
  std::vector<QuantizableOp> ops;
  for (int i = 1; i <= 30; ++i) ops.push_back({"conv" + std::to_string(i), "Convolution", "x", {0}});
  model.space = {allowed_choices(ops, {}, kDeclaredRecipes, false, InferencePrecision::Bf16).value};
  for (const OpSpace& op : model.space.ops) model.damage[op.name] = 1e-5;
  model.damage["conv3"] = model.damage["conv12"] = 0.002;
  model.set_expected_noise();
  for (const char* noisy : {"conv5", "conv20", "conv21"}) model.space.noise[noisy] = 0.01;
  model.has_estimates = true;
  model.floor = 0.001;
  for (const double without_int8 : {0.001, 0.1}) {
    model.without_int8 = without_int8;
    model.loss = [](double power) { return 5 * std::max(0.0, power - 0.001); };
    model.goal.tolerance = 0.002;
    const auto run = model.run_study();
    EXPECT_THAT(run.trials.back().plan.fallback(), ElementsAre("conv12", "conv3"));
  }
}

// All ops add the same noise. Those for which int8 saves little time fall back.
TEST(Auto, ChoosesFallbackOpsByTheirTime) {
  SimulatedModel model;
  for (const OpSpace& op : model.space.ops) {
    model.damage[op.name] = 0.01;
    model.space.saved_ms[op.name] = 0.1;
  }
  for (const char* cheap : {"conv2", "conv7", "conv9", "conv14"}) model.space.saved_ms[cheap] = 0.02;
  model.set_expected_noise();
  model.has_estimates = true;
  model.loss = [](double power) { return 0.06 * power; };
  model.goal.tolerance = 0.0097;
  const auto run = model.run_study();
  EXPECT_THAT(run.trials.back().plan.fallback(), testing::IsSubsetOf({"conv2", "conv7", "conv9", "conv14"}));
}

// The trials of a study with these probes and accuracies.
std::vector<Trial> trials_with(const SimulatedModel& model, const std::function<Probe(const Plan&)>& probe,
                               const std::function<double(const Plan&)>& accuracy) {
  std::vector<Trial> trials;
  std::vector<Probe> probes;
  const auto strategy = make_auto_strategy();
  while (trials.size() < 20) {
    const History history{trials, model.goal, 1978, probes};
    if (history.met()) break;
    const auto step = strategy->next(model.space, history);
    if (!step) break;
    if (step->kind == Step::Kind::Probe) {
      probes.push_back(probe(step->plan));
      probes.back().level = step->level;
      continue;
    }
    trials.push_back(trial(trials.size() + 1, measured(accuracy(step->plan))));
    trials.back().plan = step->plan;
  }
  return trials;
}

// The op that saves most time falls back last, but is too noisy.
TEST(Auto, KeepsTheLeastNoisyOpIfAllSetsByTimeFail) {
  SimulatedModel model;
  model.space = space_of(3);
  ASSERT_THAT(model.space.ops, SizeIs(4));
  const std::string harmful = model.space.ops[0].name, other = model.space.ops[1].name, slow = model.space.ops[2].name,
                    quiet = model.space.ops[3].name;
  model.damage = {{harmful, 0.5}, {other, 0.5}, {slow, 0.02}, {quiet, 0.001}};
  model.set_expected_noise();
  model.space.saved_ms = {{harmful, 0.1}, {other, 0.1}, {slow, 10}, {quiet, 0.1}};
  const auto run = model.run_study();
  const auto is_met = [&](const Trial& trial) { return model.goal.met(trial.result->accuracy); };
  ASSERT_TRUE(std::any_of(run.trials.begin(), run.trials.end(), is_met));
  EXPECT_TRUE(std::find_if(run.trials.begin(), run.trials.end(), is_met)->plan.ops.at(quiet).is_int8());
}

TEST(Auto, UsesAnotherSchemeIfItMeetsTheGoal) {
  const SimulatedModel model;
  const OpPlan better = model.space.model_choices[1];
  // Every op is harmful with the first scheme, and none with the second.
  const auto distance = [&](const Plan& plan) {
    std::size_t bad = 0;
    for (const auto& [name, op] : plan.ops) bad += op.precision == Precision::Int8 && !(op == better);
    return std::sqrt(0.01 * static_cast<double>(bad));
  };
  const auto trials = trials_with(
      model,
      [&](const Plan& plan) {
        return Probe{plan, distance(plan)};
      },
      [&](const Plan& plan) { return 0.9 - 0.2 * distance(plan); });
  ASSERT_THAT(trials, SizeIs(2));
  EXPECT_THAT(trials.back().plan.fallback(), IsEmpty());
}

// With the estimators of the space, every op is harmless. With one estimator for all ops, some op is harmful.
TEST(Auto, TriesAMixedScheme) {
  SimulatedModel model;
  std::map<std::string, Algorithm> estimators;
  for (const OpSpace& op : model.space.ops)
    estimators[op.name] = op.name == "conv3" ? Algorithm::Kl : Algorithm::MinMax;
  model.space.estimators = estimators;
  const auto loss = [&](const Plan& plan) {
    std::size_t bad = 0;
    for (const auto& [name, op] : plan.ops) bad += op.is_int8() && op.activation.algorithm != estimators.at(name);
    return 0.02 * static_cast<double>(bad);
  };
  const auto trials = trials_with(
      model, [&](const Plan& plan) { return Probe{.plan = plan, .loss = loss(plan), .loss_error = 0.001}; },
      [&](const Plan& plan) { return 0.9 - loss(plan); });
  ASSERT_THAT(trials, SizeIs(2));
  EXPECT_THAT(trials.back().plan.fallback(), IsEmpty());
  EXPECT_EQ(trials.back().plan.ops.at("conv3").activation.algorithm, Algorithm::Kl);
  EXPECT_EQ(trials.back().plan.ops.at("conv4").activation.algorithm, Algorithm::MinMax);
}

TEST(Auto, DoesNotTryWholeModelPlansWhoseProbeFailed) {
  const SimulatedModel model;
  const Plan first = model.space.plan(model.space.model_choices.front());
  const auto trials = trials_with(
      model,
      [&](const Plan& plan) {
        const bool fails = plan.fallback().empty() && !(plan == first);
        return Probe{plan, fails ? std::numeric_limits<double>::infinity() : 0.1};
      },
      [&](const Plan& plan) { return plan.fallback().empty() ? 0.5 : 0.9; });
  ASSERT_THAT(trials, testing::Not(IsEmpty()));
  EXPECT_EQ(trials.front().plan, first);
  for (std::size_t i = 1; i < trials.size(); ++i) EXPECT_THAT(trials[i].plan.fallback(), testing::Not(IsEmpty()));
}

// All ranked plans look good, but those that are tried first miss the goal, so ops fall back. The result is slow, so
// the other ranked plans are tried before the study stops.
TEST(Auto, TriesFasterCandidatesBeforeItStops) {
  const SimulatedModel model;
  std::vector<Trial> trials;
  std::vector<Probe> probes;
  const auto strategy = make_auto_strategy();
  const auto next_step = [&](const History& history) {
    return history.met() ? strategy->before_stopping(model.space, history) : strategy->next(model.space, history);
  };
  std::size_t whole_models_after_goal = 0;
  while (trials.size() < 40) {
    const History history{trials, model.goal, 1978, probes};
    const bool was_met = history.met();
    const auto step = next_step(history);
    if (!step) break;
    if (step->kind == Step::Kind::Probe) {
      probes.push_back({.plan = step->plan, .distance = 0.05, .loss = 0.005, .loss_error = 0.001});
      probes.back().level = step->level;
      continue;
    }
    const bool all_int8 = step->plan.fallback().empty();
    whole_models_after_goal += was_met && all_int8;
    trials.push_back(trial(trials.size() + 1, all_int8 ? measured(0.88, 2.0) : measured(0.9, 1.2)));
    trials.back().plan = step->plan;
  }
  EXPECT_GE(whole_models_after_goal, 3u);
}

TEST(Auto, ReturnsTheMostExpensiveOpsToInt8WithABudget) {
  SimulatedModel model;
  model.has_budget = true;
  model.damage = {{"conv3", 0.5}, {"conv12", 0.4}};
  model.space.noise = {{"conv3", 0.5}, {"conv12", 0.4}};
  model.space.saved_ms = {{"conv3", 2}, {"conv12", 1}};
  const auto run = model.run_study();
  ASSERT_GE(run.trials.size(), 4u);
  EXPECT_THAT(run.trials[1].plan.fallback(), ElementsAre("conv12", "conv3"));
  EXPECT_THAT(run.trials[2].plan.fallback(), ElementsAre("conv12")) << "conv3 saves most time";
  EXPECT_THAT(run.trials[3].plan.fallback(), ElementsAre("conv3"));
  EXPECT_THAT(run.trials, SizeIs(4)) << "no other op can return";
}

TEST(Auto, EndsWithOneInt8OpIfNoPlanMeetsTheGoal) {
  SimulatedModel model;
  for (const OpSpace& op : model.space.ops) model.damage[op.name] = 10;
  model.set_expected_noise();
  const auto run = model.run_study();
  EXPECT_FALSE(model.goal.met(run.trials.back().result->accuracy));
  EXPECT_EQ(run.trials.back().plan.int8_count(), 1u);
  EXPECT_LE(run.trials.size(), 10u);
}

}  // namespace
}  // namespace lpot
