// A strategy chooses the next step of a search: a plan to evaluate (a trial), or a plan to compare with fp32 on a few
// samples (a probe). kinds.h lists what a new strategy needs.
//
//   class FirstPlanOnly : public Strategy {
//    public:
//     std::optional<Step> next(const SearchSpace& space, const History& history) const override {
//       const Plan plan = first_plan(space);
//       if (history.find(plan)) return std::nullopt;
//       return Step{plan};
//     }
//   };
//
// A strategy is a pure function of the search space and the history: the same arguments give the same step. Therefore,
// an interrupted study continues with the first step that has no recorded result.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lpot/core/component.h"
#include "lpot/plan/goal.h"
#include "lpot/plan/plan_index.h"
#include "lpot/plan/search_space.h"
#include "lpot/plan/trial.h"

namespace lpot {

// The trials and probes of a study so far. It stores references, so the trials and probes must outlive it.
class History {
 public:
  History(const std::vector<Trial>& all_trials, const Goal& of_study, std::uint64_t seed = 1978,
          const std::vector<Probe>& all_probes = no_probes(), bool with_budget = false)
      : trials(all_trials), goal(of_study), random_seed(seed), probes(all_probes), has_budget(with_budget) {}

  const std::vector<Trial>& trials;
  const Goal& goal;
  std::uint64_t random_seed;
  const std::vector<Probe>& probes;
  bool has_budget;  // the search continues after the goal is met, to find a faster model

  // Uses indexes that the caller maintains. Without this call, indexes are built when the first plan is looked up.
  void use(const PlanIndex& of_trials, const PlanIndex& of_probes) {
    trial_index_ = &of_trials;
    probe_index_ = &of_probes;
  }

  const Trial* find(PlanKey) const;  // the trial of that plan, or nullptr
  const Trial* find(const Plan& plan) const { return find(key_of(plan)); }
  const Probe* find_probe(PlanKey, int level = 0) const;
  const Probe* find_probe(const Plan& plan, int level = 0) const { return find_probe(key_of(plan), level); }
  bool met() const;  // whether any trial meets the goal

 private:
  static const std::vector<Probe>& no_probes();

  const PlanIndex* trial_index_ = nullptr;
  const PlanIndex* probe_index_ = nullptr;
  mutable PlanIndex own_trial_index_ = {};
  mutable PlanIndex own_probe_index_ = {};
};

struct Step {
  enum class Kind { Try, Probe };
  Plan plan;
  Kind kind = Kind::Try;
  std::size_t ahead = 0;  // of a probe: upper bound of the number of probes before the next trial
  int level = 0;          // of a probe: 0 measures the distance from fp32, 1 and 2 estimate the accuracy

  bool operator==(const Step&) const = default;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Returns the next step, or nullopt if no plan is left. Never repeats a plan of the history and never proposes a plan
  // without int8 ops.
  virtual std::optional<Step> next(const SearchSpace&, const History&) const = 0;

  // A step that must run before a study ends because its goal is met, for example a trial of a faster plan. nullopt:
  // the study ends. Called only without a time budget.
  virtual std::optional<Step> before_stopping(const SearchSpace&, const History&) const { return std::nullopt; }

  // Whether the strategy compares accuracies of trials that miss the goal. If not, these accuracies may be estimates.
  virtual bool needs_scores() const { return true; }

  // Whether it ranks plans with probes of level 1 and 2. Models without int8 are then ranked too before they are tried.
  virtual bool ranks_plans() const { return false; }

  // The distance that its probes measure.
  virtual DistanceKind distance_kind() const { return DistanceKind::Mean; }
};

// The table of all strategies that a configuration may name.
const Table& strategies();

// Creates the strategy that a configuration names. Throws ConfigError.
std::unique_ptr<Strategy> make_strategy(const Component&);

}  // namespace lpot
