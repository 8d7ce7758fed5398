#include "lpot/tune/study.h"

#include <fmt/format.h>

#include <cmath>

#include "lpot/core/clock.h"
#include "lpot/core/error.h"

namespace lpot {
namespace {}  // namespace

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::GoalMet:
      return "the goal is met";
    case StopReason::MaxTrials:
      return "max_trials is reached";
    case StopReason::Timeout:
      return "the timeout is over";
    case StopReason::NoPlanLeft:
      return "the strategy has no further plan";
    case StopReason::Interrupted:
      return "it was interrupted";
  }
  return "";
}

Study::Study(Store& store, StudyId id, StudyOptions options) : store_(store), id_(id), options_(std::move(options)) {}

Trial Study::attempt(std::size_t number, Plan plan, const Attempt& attempt, const Observer& observer) const {
  const auto start = Clock::now();
  Trial trial;
  trial.number = number;
  trial.plan = std::move(plan);
  try {
    const Measured measured = attempt(trial.plan, observer);
    if (std::isfinite(measured.accuracy))
      trial.result = measured;
    else
      trial.error = "[evaluate] the accuracy is not a finite number";
  } catch (const StoreError&) {
    throw;
  } catch (const Error& error) {
    trial.error = error.what();
  }
  trial.seconds = seconds_since(start);
  return trial;
}

std::optional<StopReason> Study::reason_to_stop(const StudyOutcome& outcome) const {
  const ExitPolicy& policy = options_.exit_policy;
  double spent = options_.seconds_before;
  for (const Trial& trial : outcome.trials) spent += trial.seconds;
  if (policy.timeout_seconds == 0 && outcome.goal_met) return StopReason::GoalMet;
  if (outcome.trials.size() >= policy.max_trials) return StopReason::MaxTrials;
  if (policy.timeout_seconds > 0 && spent >= policy.timeout_seconds) return StopReason::Timeout;
  return std::nullopt;
}

StudyOutcome Study::run(const Strategy& strategy, const Attempt& attempt_plan, const StudyEvents& events,
                        const Observer& observer) {
  StudyOutcome outcome;
  const auto take = [&](const Trial& trial) {
    outcome.trials.push_back(trial);
    const bool is_best =
        trial.result && (!outcome.best || is_better(trial, *outcome.best, options_.goal, options_.objective));
    if (is_best) outcome.best = trial;
    outcome.goal_met = outcome.best && options_.goal.met(outcome.best->result->accuracy);
    return is_best;
  };
  for (const Trial& trial : store_.trials(id_)) take(trial);

  double spent = options_.seconds_before;
  for (const Trial& trial : outcome.trials) spent += trial.seconds;
  const auto start = Clock::now();
  // The timeout also ends a trial that is under way; that trial is not recorded.
  bool timed_out = false;
  Observer watched = observer;
  watched.should_stop = [&] {
    timed_out = options_.exit_policy.timeout_seconds > 0 &&
                spent + seconds_since(start) >= options_.exit_policy.timeout_seconds;
    return timed_out || (observer.should_stop && observer.should_stop());
  };

  while (true) {
    if (const auto reason = reason_to_stop(outcome)) {
      outcome.reason = *reason;
      return outcome;
    }
    auto plan = strategy.next(options_.space, {outcome.trials, options_.goal, options_.random_seed});
    if (!plan) {
      outcome.reason = StopReason::NoPlanLeft;
      return outcome;
    }
    try {
      // The first trial runs to its end whatever the timeout, so that there is something in the hand.
      const Trial trial =
          attempt(outcome.trials.size() + 1, std::move(*plan), attempt_plan, outcome.best ? watched : observer);
      store_.append(id_, trial);
      const bool is_best = take(trial);
      if (events.on_trial) events.on_trial(trial, is_best);
    } catch (const Interrupted&) {
      outcome.reason = timed_out ? StopReason::Timeout : StopReason::Interrupted;
      return outcome;
    }
  }
}

}  // namespace lpot
