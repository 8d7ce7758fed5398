// Requirements that every strategy must meet, on every kind of search space. Strategies are tested because they are in
// the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "lpot/core/error.h"
#include "lpot/strategies/common.h"
#include "lpot/strategies/strategy.h"
#include "tests/support/plans.h"

namespace lpot {
namespace {

constexpr std::size_t kMaxTrials = 40;  // a study also ends at max_trials
constexpr std::size_t kMaxProbes = 2000;

std::vector<std::string> available_strategies() {
  std::vector<std::string> names;
  for (const Entry& entry : strategies())
    if (entry.refused.empty()) names.push_back(entry.name);
  return names;
}

OpRestriction only(std::vector<Precision> precisions) {
  OpRestriction restriction;
  restriction.weight.precisions = precisions;
  restriction.activation.precisions = precisions;
  return restriction;
}

OpRestriction never_fp32() {
  OpRestriction restriction;
  restriction.weight.precisions = {Precision::Int8};
  restriction.activation.precisions = {Precision::Int8, Precision::Uint8};
  return restriction;
}

OpRestriction with_algorithm(Algorithm algorithm) {
  OpRestriction restriction;
  restriction.activation.algorithms = {algorithm};
  return restriction;
}

const std::map<std::string, SearchSpace>& spaces() {
  static const std::map<std::string, SearchSpace> kSpaces = [] {
    std::map<std::string, SearchSpace> made;
    made["several_ops"] = space_of(4);
    made["one_op"] = space_of(0);
    QuantizationConfig config;
    config.model_wise = never_fp32();
    made["no_fallback"] = space_of(3, config);
    config.model_wise = only({Precision::Fp32});
    made["all_fp32"] = space_of(3, config);
    config.model_wise = with_algorithm(Algorithm::MinMax);
    made["one_algorithm"] = space_of(3, config);
    config.model_wise = {};
    config.op_wise = {
        {"conv1", only({Precision::Fp32})}, {"conv2", never_fp32()}, {"fc", with_algorithm(Algorithm::Kl)}};
    made["each_its_own"] = space_of(4, config);
    made["nothing"] = {};
    return made;
  }();
  return kSpaces;
}

// The first two ops of a space. It has so few plans that a test can try all of them.
SearchSpace first_two_ops(SearchSpace space) {
  if (space.ops.size() > 2) space.ops.erase(space.ops.begin() + 2, space.ops.end());
  return space;
}

// The number of different plans that a strategy can propose.
std::size_t count_plans(const SearchSpace& space) {
  if (space.ops.empty()) return 0;
  std::size_t count = space.recipes.size() * space.sampling_sizes.size();
  for (const OpSpace& op : space.ops) count *= op.choices.size() + op.more_choices.size();
  return count;
}

// Evaluates a plan: returns an accuracy, or nullopt if the trial fails.
using ScoreOfPlan = std::function<std::optional<double>(std::size_t number, const Plan&)>;

std::optional<double> always_succeeds(std::size_t, const Plan& plan) { return fake_accuracy(plan); }

struct StudyRun {
  std::vector<Trial> trials;
  std::vector<Probe> probes;
  bool ended = false;  // the strategy has no more plans

  // The content of the store if the study is interrupted after `count` trials and probes.
  StudyRun first(std::size_t count) const {
    StudyRun stored;
    while (count > 0) {
      const bool is_probe =
          stored.probes.size() < probes.size() && probes[stored.probes.size()].before_trial <= stored.trials.size() + 1;
      if (is_probe) {
        stored.probes.push_back(probes[stored.probes.size()]);
      } else {
        stored.trials.push_back(trials[stored.trials.size()]);
      }
      --count;
    }
    return stored;
  }
  std::size_t size() const { return trials.size() + probes.size(); }

  bool operator==(const StudyRun&) const = default;
};

class EveryStrategy : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  EveryStrategy() : space_(spaces().at(std::get<1>(GetParam()))) {}

  const SearchSpace& space() const { return space_; }

  static std::unique_ptr<Strategy> new_strategy() {
    return make_strategy({.name = std::get<0>(GetParam()), .parameters = {}, .place = {}});
  }

  // Runs one strategy to its end, as in a study. `study` holds the trials and probes of an earlier run.
  StudyRun run_study(const ScoreOfPlan& answer, StudyRun study = {}) const {
    const auto strategy = new_strategy();
    while (study.trials.size() < max_trials_) {
      const auto step = strategy->next(space(), {study.trials, goal_, 1978, study.probes, has_budget_});
      study.ended = !step;
      if (!step) break;
      if (step->kind == Step::Kind::Probe) {
        // Probes get numbers from 1000, so that `answer` can make some of them fail too.
        const auto distance = answer(1000 + study.probes.size(), step->plan);
        study.probes.push_back({.plan = step->plan,
                                .distance = distance.value_or(std::numeric_limits<double>::infinity()),
                                .before_trial = study.trials.size() + 1,
                                .level = step->level});
        if (study.probes.size() > kMaxProbes) {
          ADD_FAILURE() << "more than " << kMaxProbes << " probes";
          break;
        }
        continue;
      }
      Trial next = failed_trial(study.trials.size() + 1);
      next.plan = step->plan;
      if (const auto accuracy = answer(next.number, step->plan)) {
        next.result = measured(*accuracy);
        next.error.clear();
      }
      study.trials.push_back(next);
    }
    return study;
  }

  std::vector<Trial> trials_of(const ScoreOfPlan& answer) const { return run_study(answer).trials; }

  // Interrupts a study after some of its steps and resumes it with a new strategy and the stored trials and probes.
  void expect_same_when_resumed(const ScoreOfPlan& answer, std::size_t interruptions) const {
    const StudyRun whole = run_study(answer);
    const std::size_t stride = std::max<std::size_t>(1, whole.size() / interruptions);
    for (std::size_t count = 0; count <= whole.size(); count += stride)
      EXPECT_EQ(run_study(answer, whole.first(count)), whole) << "interrupted after " << count << " steps";
  }

  SearchSpace space_;
  std::size_t max_trials_ = kMaxTrials;
  bool has_budget_ = false;
  Goal goal_{.baseline = 2.0, .tolerance = 0, .relative = false};  // no plan meets it
};

TEST_P(EveryStrategy, EndsAfterAtMostAllPlansOfTheSpace) {
  space_ = first_two_ops(space_);
  const std::size_t plans = count_plans(space_);
  max_trials_ = 2 * plans + 10;
  for (const double baseline : {2.0, 0.5}) {  // a goal that no plan meets, and one that some plans meet
    goal_.baseline = baseline;
    has_budget_ = baseline < 1;
    const StudyRun study = run_study(always_succeeds);
    EXPECT_TRUE(study.ended) << "the strategy still proposes plans after " << study.trials.size() << " trials";
    EXPECT_LE(study.trials.size(), plans);
    EXPECT_LE(study.probes.size(), plans);
  }
}

TEST_P(EveryStrategy, NeverRepeatsAProbe) {
  std::set<std::pair<std::string, int>> seen;
  for (const Probe& probe : run_study(always_succeeds).probes)
    EXPECT_TRUE(seen.emplace(to_json(probe.plan), probe.level).second && probe.plan.int8_count() > 0 &&
                space().contains(probe.plan));
}

TEST_P(EveryStrategy, NeverRepeatsAPlanWithABudget) {
  has_budget_ = true;
  goal_ = {.baseline = 0.5, .tolerance = 0, .relative = false};
  std::set<std::string> seen;
  for (const Trial& trial : trials_of(always_succeeds)) EXPECT_TRUE(seen.insert(to_json(trial.plan)).second);
}

TEST_P(EveryStrategy, IsDeterministic) { EXPECT_EQ(trials_of(always_succeeds), trials_of(always_succeeds)); }

TEST_P(EveryStrategy, NeverRepeatsAPlan) {
  std::set<std::string> seen;
  for (const Trial& trial : trials_of(always_succeeds))
    EXPECT_TRUE(seen.insert(to_json(trial.plan)).second) << trial.number;
}

TEST_P(EveryStrategy, NeverProposesAPlanWithoutInt8) {
  for (const Trial& trial : trials_of(always_succeeds)) EXPECT_GT(trial.plan.int8_count(), 0u) << trial.number;
}

TEST_P(EveryStrategy, StaysInTheSearchSpace) {
  for (const Trial& trial : trials_of(always_succeeds))
    EXPECT_TRUE(space().contains(trial.plan)) << to_json(trial.plan);
}

TEST_P(EveryStrategy, ProposesAPlanIfThereIsOne) {
  EXPECT_EQ(trials_of(always_succeeds).empty(), space().model_choices.empty());
}

TEST_P(EveryStrategy, ProposesTheSamePlansAfterResume) { expect_same_when_resumed(always_succeeds, 12); }

TEST_P(EveryStrategy, ContinuesAfterFailedTrials) {
  const std::size_t trials = trials_of(always_succeeds).size();
  std::vector<ScoreOfPlan> answers{[](std::size_t, const Plan&) -> std::optional<double> { return std::nullopt; }};
  for (std::size_t failing = 1; failing <= trials; failing += 7)
    answers.push_back([failing](std::size_t number, const Plan& plan) {
      return number == failing ? std::nullopt : std::optional(fake_accuracy(plan));
    });
  for (unsigned seed = 0; seed < 10; ++seed)
    answers.push_back([seed](std::size_t number, const Plan& plan) {
      std::mt19937 random(seed * 1000 + static_cast<unsigned>(number));
      return random() % 2 ? std::nullopt : std::optional(fake_accuracy(plan));
    });
  for (const ScoreOfPlan& answer : answers) {
    std::set<std::string> seen;
    const StudyRun whole = run_study(answer);
    for (const Trial& trial : whole.trials) {
      EXPECT_TRUE(seen.insert(to_json(trial.plan)).second);
      EXPECT_GT(trial.plan.int8_count(), 0u);
    }
    EXPECT_EQ(run_study(answer, whole.first(whole.size() / 2)), whole);
  }
}

TEST_P(EveryStrategy, ContinuesIfAllTrialsAreEquallyGood) {
  const auto equal = [](std::size_t, const Plan&) { return std::optional(0.5); };
  std::set<std::string> seen;
  for (const Trial& trial : trials_of(equal)) EXPECT_TRUE(seen.insert(to_json(trial.plan)).second);
}

TEST_P(EveryStrategy, MinimizesTheMetricIfLowerIsBetter) {
  goal_ = {.baseline = -2, .tolerance = 0, .relative = false, .higher_is_better = false};
  // Distances do not change, because only accuracies have a direction.
  const auto mirrored = [](std::size_t number, const Plan& plan) {
    return std::optional(number >= 1000 ? fake_accuracy(plan) : -fake_accuracy(plan));
  };
  const std::vector<Trial> lower = trials_of(mirrored);
  goal_ = {.baseline = 2, .tolerance = 0, .relative = false};
  const std::vector<Trial> higher = trials_of(always_succeeds);
  ASSERT_EQ(lower.size(), higher.size());
  for (std::size_t i = 0; i < lower.size(); ++i) EXPECT_EQ(lower[i].plan, higher[i].plan) << i;
}

std::vector<std::string> space_names() {
  std::vector<std::string> names;
  for (const auto& [name, space] : spaces()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Strategies, EveryStrategy,
                         testing::Combine(testing::ValuesIn(available_strategies()), testing::ValuesIn(space_names())),
                         [](const auto& tested) {
                           return std::get<0>(tested.param) + "_" + std::get<1>(tested.param);
                         });

TEST(Strategies, RejectTrialsWithOtherOps) {
  const SearchSpace space = space_of(4);
  RandomGenerator draws(1, "plans");
  std::vector<Plan> plans;
  for (const WholeModelPlan& scheme : whole_model_plans(space)) plans.push_back(scheme.plan(space));
  for (int i = 0; i < 12; ++i) plans.push_back(random_plan(space, draws));
  plans.back().ops.erase("fc");
  std::vector<Trial> trials;
  for (const Plan& plan : plans) {
    trials.push_back(trial(trials.size() + 1, measured(fake_accuracy(plan))));
    trials.back().plan = plan;
  }
  const Goal goal{.baseline = 2.0, .tolerance = 0, .relative = false};
  for (const char* name : {"bayesian", "tpe"}) {
    const auto strategy = make_strategy({.name = name, .parameters = {}, .place = {}});
    EXPECT_THROW(strategy->next(space, {trials, goal, 1978}), StoreError) << name;
  }
}

TEST(Strategies, RejectUnsupportedAndUnknownNames) {
  for (const Entry& entry : strategies()) {
    if (entry.refused.empty()) continue;
    EXPECT_THROW(make_strategy({.name = entry.name, .parameters = {}, .place = {}}), ConfigError) << entry.name;
  }
  EXPECT_THROW(make_strategy({.name = "baisc", .parameters = {}, .place = {}}), ConfigError);
}

}  // namespace
}  // namespace lpot
