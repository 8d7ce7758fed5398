// What every strategy keeps to, on every kind of search space. A strategy that a config may name is in here by its
// entry in the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "lpot/core/error.h"
#include "lpot/tune/strategy.h"
#include "tests/tune/support.h"

namespace lpot {
namespace {

constexpr std::size_t kMostTrials = 40;  // a study ends at max_trials too
constexpr std::size_t kMostProbes = 2000;

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

// An answer to a plan: an accuracy, or nothing when its trial fails.
using Answer = std::function<std::optional<double>(std::size_t number, const Plan&)>;

std::optional<double> always_succeeds(std::size_t, const Plan& plan) { return made_up_accuracy(plan); }

class EveryStrategy : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  const SearchSpace& space() const { return spaces().at(std::get<1>(GetParam())); }

  // A strategy of its own for every question: nothing may be remembered outside of the history.
  std::optional<Step> ask(const std::vector<Trial>& trials, const std::vector<Probe>& probes) const {
    const auto strategy = make_strategy({.name = std::get<0>(GetParam()), .parameters = {}, .place = {}});
    return strategy->next(space(), {trials, goal_, 1978, probes, has_budget_});
  }

  struct Played {
    std::vector<Trial> trials;
    std::vector<Probe> probes;
    bool operator==(const Played&) const = default;
  };

  Played play_all(const Answer& answer, Played played = {}) const {
    while (played.trials.size() < kMostTrials) {
      const auto step = ask(played.trials, played.probes);
      if (!step) break;
      if (step->kind == Step::Kind::Probe) {
        // A probe fails where a trial of that number would.
        const auto distance = answer(1000 + played.probes.size(), step->plan);
        played.probes.push_back({step->plan, distance.value_or(std::numeric_limits<double>::infinity())});
        if (played.probes.size() > kMostProbes) {
          ADD_FAILURE() << "it does not end";
          break;
        }
        continue;
      }
      Trial next = failed_trial(played.trials.size() + 1);
      next.plan = step->plan;
      if (const auto accuracy = answer(next.number, step->plan)) {
        next.result = measured(*accuracy);
        next.error.clear();
      }
      played.trials.push_back(next);
    }
    return played;
  }

  std::vector<Trial> play(const Answer& answer) const { return play_all(answer).trials; }

  bool has_budget_ = false;
  Goal goal_{.baseline = 2.0, .tolerance = 0, .relative = false};  // met by nothing
};

TEST_P(EveryStrategy, Ends) { EXPECT_LE(play(always_succeeds).size(), kMostTrials); }

TEST_P(EveryStrategy, NeverRepeatsAProbe) {
  std::set<std::string> seen;
  for (const Probe& probe : play_all(always_succeeds).probes)
    EXPECT_TRUE(seen.insert(to_json(probe.plan)).second && probe.plan.int8_count() > 0 && space().contains(probe.plan));
}

TEST_P(EveryStrategy, GoesOnWithABudgetWithoutRepeatingItself) {
  has_budget_ = true;
  goal_ = {.baseline = 0.5, .tolerance = 0, .relative = false};
  std::set<std::string> seen;
  for (const Trial& trial : play(always_succeeds)) EXPECT_TRUE(seen.insert(to_json(trial.plan)).second);
}

TEST_P(EveryStrategy, AnswersTheSameWhenAskedTwice) { EXPECT_EQ(play(always_succeeds), play(always_succeeds)); }

TEST_P(EveryStrategy, NeverRepeatsAPlan) {
  std::set<std::string> seen;
  for (const Trial& trial : play(always_succeeds)) EXPECT_TRUE(seen.insert(to_json(trial.plan)).second) << trial.number;
}

TEST_P(EveryStrategy, NeverProposesAPlanWithoutInt8) {
  for (const Trial& trial : play(always_succeeds)) EXPECT_GT(trial.plan.int8_count(), 0u) << trial.number;
}

TEST_P(EveryStrategy, StaysInTheSearchSpace) {
  for (const Trial& trial : play(always_succeeds)) EXPECT_TRUE(space().contains(trial.plan)) << to_json(trial.plan);
}

TEST_P(EveryStrategy, TriesSomethingWhereThereIsSomething) {
  EXPECT_EQ(play(always_succeeds).empty(), space().model_choices.empty());
}

TEST_P(EveryStrategy, GoesOnTheSameAfterACutAnywhere) {
  const Played whole = play_all(always_succeeds);
  const std::size_t step = std::max<std::size_t>(1, whole.trials.size() / 8);
  for (std::size_t kept = 0; kept <= whole.trials.size(); kept += step) {
    // Probes that came after the cut are not there: only those that the trials before it rest on.
    const Played history{{whole.trials.begin(), whole.trials.begin() + static_cast<std::ptrdiff_t>(kept)},
                         whole.probes};
    EXPECT_EQ(play_all(always_succeeds, history).trials, whole.trials) << "cut after " << kept;
  }
}

TEST_P(EveryStrategy, SurvivesWhicheverTrialsFail) {
  const std::size_t trials = play(always_succeeds).size();
  std::vector<Answer> answers{[](std::size_t, const Plan&) -> std::optional<double> { return std::nullopt; }};
  for (std::size_t failing = 1; failing <= trials; failing += 7)
    answers.push_back([failing](std::size_t number, const Plan& plan) {
      return number == failing ? std::nullopt : std::optional(made_up_accuracy(plan));
    });
  for (unsigned seed = 0; seed < 10; ++seed)
    answers.push_back([seed](std::size_t number, const Plan& plan) {
      std::mt19937 random(seed * 1000 + static_cast<unsigned>(number));
      return random() % 2 ? std::nullopt : std::optional(made_up_accuracy(plan));
    });
  for (const Answer& answer : answers) {
    std::set<std::string> seen;
    const Played whole = play_all(answer);
    for (const Trial& trial : whole.trials) {
      EXPECT_TRUE(seen.insert(to_json(trial.plan)).second);
      EXPECT_GT(trial.plan.int8_count(), 0u);
    }
    const auto half = static_cast<std::ptrdiff_t>(whole.trials.size() / 2);
    EXPECT_EQ(play_all(answer, {{whole.trials.begin(), whole.trials.begin() + half}, whole.probes}).trials,
              whole.trials);
  }
}

TEST_P(EveryStrategy, SurvivesWhenAllTrialsAreEquallyGood) {
  const auto equal = [](std::size_t, const Plan&) { return std::optional(0.5); };
  std::set<std::string> seen;
  for (const Trial& trial : play(equal)) EXPECT_TRUE(seen.insert(to_json(trial.plan)).second);
}

TEST_P(EveryStrategy, TakesLowerForBetterWhenTheGoalDoes) {
  goal_ = {.baseline = -2, .tolerance = 0, .relative = false, .higher_is_better = false};
  // Distances stay what they are: only accuracies have a direction.
  const auto mirrored = [](std::size_t number, const Plan& plan) {
    return std::optional(number >= 1000 ? made_up_accuracy(plan) : -made_up_accuracy(plan));
  };
  const std::vector<Trial> lower = play(mirrored);
  goal_ = {.baseline = 2, .tolerance = 0, .relative = false};
  const std::vector<Trial> higher = play(always_succeeds);
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

TEST(Strategies, OneThatIsNotThereIsRefusedWithAReason) {
  for (const Entry& entry : strategies()) {
    if (entry.refused.empty()) continue;
    EXPECT_THROW(make_strategy({.name = entry.name, .parameters = {}, .place = {}}), ConfigError) << entry.name;
  }
  EXPECT_THROW(make_strategy({.name = "baisc", .parameters = {}, .place = {}}), ConfigError);
}

}  // namespace
}  // namespace lpot
