// The only search loop: ask the strategy, attempt its plan, store the result.
//
//   Study study(store, id, {.space = space, .goal = goal});
//   StudyOutcome outcome = study.run(strategy, {.attempt = attempt}, events);
//
// Whatever ends it (the goal, the budget, the user, a crash), everything but the running trial is in the store.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/observer.h"
#include "lpot/plan/goal.h"
#include "lpot/plan/study_outcome.h"
#include "lpot/store/study_record.h"
#include "lpot/strategies/strategy.h"

namespace lpot {

struct StudyOptions {
  SearchSpace space;
  Goal goal;
  Objective objective = Objective::Performance;
  ExitPolicy exit_policy;
  std::uint64_t random_seed = 1978;
  double seconds_before = 0;  // spent on calibration and baseline, which count into the timeout
};

// Quantizes and measures one plan. An Error becomes a failed trial, but a StoreError or a DistributedError ends the
// study, and so do three trials in a row that a CallerError ended: what fails every time is not the plans' fault.
using Attempt = std::function<Measured(const Plan&, const Observer&)>;

struct StudyWork {
  Attempt attempt;                                                 // may end early when the goal cannot be met
  Attempt complete = {};                                           // to the end, whatever the goal
  std::function<double(const Trial&)> complete_seconds = {};       // about what that takes for a trial that ended early
  std::function<double(const Plan&, const Observer&)> probe = {};  // as Probe::distance
  // Called before a step with the step that follows unless this one goes better than the last. The strategy is asked
  // for it with a copy of the history that holds an assumed result, so set this for built-in strategies only: a
  // strategy of the user must never see results that do not exist.
  std::function<void(const Step&)> expect = {};
};

struct StudyEvents {
  std::function<void(const Trial&, bool is_best)> on_trial;  // after it is stored; the new best is to be saved here
  std::function<void(const Trial& best)> on_complete = {};   // the best trial got its exact score
};

class Study {
 public:
  Study(Store&, StudyId, StudyOptions);
  StudyOutcome run(const Strategy&, const StudyWork&, const StudyEvents& = {}, const Observer& = {});

 private:
  class Loop;

  StudyWriter record_;
  StudyId id_;
  StudyOptions options_;
};

}  // namespace lpot
