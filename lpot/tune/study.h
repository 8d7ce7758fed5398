// The only search loop: ask the strategy, attempt its plan, store the result.
//
//   Study study(store, id, {.space = space, .goal = goal});
//   StudyOutcome outcome = study.run(strategy, {.attempt = attempt}, events);
//
// However the study ends (goal, budget, user, crash), all trials except the running one are in the store.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/observer.h"
#include "lpot/evaluate/loss_sample.h"
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
  double seconds_before = 0;  // spent on calibration and baseline; part of the timeout
};

// Quantizes and measures one plan. An Error is recorded as a failed trial. A StoreError, a DistributedError or three
// CallerErrors in a row end the study, because the plans did not cause them.
using Attempt = std::function<Measurement(const Plan&, const Observer&)>;

struct StudyWork {
  Attempt attempt;        // may end early when the goal cannot be met
  Attempt complete = {};  // evaluates all samples, whatever the goal
  // The estimated time of `complete` for a trial that stopped early.
  std::function<double(const Trial&)> complete_seconds = {};
  std::function<double(const Plan&, int level, const Observer&)> probe = {};  // as Probe::distance
  // The estimated loss of accuracy, for probes of level 1 and 2; nullopt: cannot be estimated, so `probe` is used.
  std::function<std::optional<LossEstimate>(const Plan&, int level, const Observer&)> estimate = {};
  // Called before a step with the probable step after it. The strategy is asked for that step with a copy of the
  // history that has an assumed result. Set this for built-in strategies only: a strategy of the user must never see
  // assumed results.
  std::function<void(const Step&)> expect = {};
};

struct StudyEvents {
  std::function<void(const Trial&, bool is_best)> on_trial;  // after it is stored; save the new best here
  std::function<void(const Trial& best)> on_complete = {};   // the exact score of the best trial was measured
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
