// The only loop: propose, attempt, append.
//
//   Study study(store, id, {.space = space, .goal = goal});
//   StudyOutcome outcome = study.run(strategy, {attempt}, events);
//
// Whatever stops it (the goal, the budget, the user, a crash), everything but the running trial is in the store.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/store/store.h"
#include "lpot/tune/goal.h"
#include "lpot/tune/strategy.h"

namespace lpot {

struct StudyOptions {
  SearchSpace space;
  Goal goal;
  Objective objective = Objective::Performance;
  ExitPolicy exit_policy;
  std::uint64_t random_seed = 1978;
  double seconds_before = 0;  // spent on calibration and baseline, which count into the timeout
};

enum class StopReason { GoalMet, MaxTrials, Timeout, NoPlanLeft, Interrupted, CallerFailed };
std::string_view to_string(StopReason);

struct StudyOutcome {
  std::optional<Trial> best;  // nothing only when no trial succeeded
  std::vector<Trial> trials;
  std::vector<Probe> probes;
  StopReason reason = StopReason::NoPlanLeft;
  bool goal_met = false;
};

// Quantizes and measures one plan. An Error becomes a failed trial, but a StoreError or a TeamError ends the study, and
// so do three trials in a row that a CallerError ended: what fails every time is not the plans' fault.
using Attempt = std::function<Measured(const Plan&, const Observer&)>;

struct StudyWork {
  Attempt attempt;                                                 // may end early when the goal cannot be met
  Attempt complete = {};                                           // to the end, whatever the goal
  std::function<double(const Trial&)> complete_seconds = {};       // about what that takes for a trial that ended early
  std::function<double(const Plan&, const Observer&)> probe = {};  // as Probe::distance
  // Told before a step: what will be asked for after it unless it goes better than the last one.
  std::function<void(const Step&)> expect = {};
};

struct StudyEvents {
  std::function<void(const Trial&, bool is_best)> on_trial;  // after it is stored; the new best is to be saved here
  std::function<void(const Trial& best)> on_complete = {};   // the best trial got its exact score
};

// The trials of a study, with the exact score of those that got one after they had ended early.
std::vector<Trial> trials_with_scores(const Store&, StudyId);

class Study {
 public:
  Study(Store&, StudyId, StudyOptions);
  StudyOutcome run(const Strategy&, const StudyWork&, const StudyEvents& = {}, const Observer& = {});

 private:
  // The outcome so far, with what keeps each further step from looking at all of it.
  struct Progress {
    StudyOutcome outcome;
    PlanIndex trials, probes;
    double seconds = 0;
  };

  Progress read_back() const;
  bool take(Progress&, const Trial&) const;  // whether it is the best now
  void take(Progress&, Probe) const;
  bool is_new_best(StudyOutcome&, const Trial&) const;  // which it is then
  Trial attempt(std::size_t number, Plan, const Attempt&, const Observer&);
  Probe probe(Plan, const StudyWork&, const Observer&) const;
  void complete_best(StudyOutcome&, const StudyWork&, const StudyEvents&, const Observer&,
                     const Observer& with_timeout) const;
  std::optional<StopReason> reason_to_stop(const Progress&) const;
  History history_of(const StudyOutcome&) const;
  std::optional<Step> expected_after(const Step&, const Strategy&, StudyOutcome&) const;

  Store& store_;
  StudyId id_;
  StudyOptions options_;
  std::size_t caller_failures_ = 0;  // in a row
};

}  // namespace lpot
