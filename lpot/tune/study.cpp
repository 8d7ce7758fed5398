#include "lpot/tune/study.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "lpot/core/clock.h"
#include "lpot/core/error.h"

namespace lpot {
namespace {

constexpr std::size_t kMostCallerFailures = 3;  // in a row

std::string probe_key(std::size_t number) { return fmt::format("probe {}", number); }
std::string complete_key(std::size_t number) { return fmt::format("complete score {}", number); }

}  // namespace

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
    case StopReason::CallerFailed:
      return "the evaluation failed three times in a row";
  }
  return "";
}

Study::Study(Store& store, StudyId id, StudyOptions options) : store_(store), id_(id), options_(std::move(options)) {}

Trial Study::attempt(std::size_t number, Plan plan, const Attempt& attempt, const Observer& observer) {
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
    caller_failures_ = 0;
  } catch (const StoreError&) {
    throw;
  } catch (const TeamError&) {
    throw;
  } catch (const CallerError& error) {
    trial.error = error.what();
    ++caller_failures_;
  } catch (const Error& error) {
    trial.error = error.what();
  }
  trial.seconds = seconds_since(start);
  return trial;
}

Probe Study::probe(Plan plan, const StudyWork& work, const Observer& observer) const {
  const auto start = Clock::now();
  Probe probe{std::move(plan), std::numeric_limits<double>::infinity()};
  try {
    if (work.probe) probe.distance = work.probe(probe.plan, observer);
  } catch (const StoreError&) {
    throw;
  } catch (const TeamError&) {
    throw;
  } catch (const Error& error) {
    observer.log(LogLevel::Debug, fmt::format("a probe failed: {}", error.what()));
  }
  probe.seconds = seconds_since(start);
  return probe;
}

bool Study::take(StudyOutcome& outcome, const Trial& trial) const {
  outcome.trials.push_back(trial);
  const bool is_best =
      trial.result && (!outcome.best || is_better(trial, *outcome.best, options_.goal, options_.objective));
  if (is_best) outcome.best = trial;
  outcome.goal_met = outcome.best && options_.goal.met(outcome.best->result->accuracy);
  return is_best;
}

StudyOutcome Study::read_back() const {
  StudyOutcome outcome;
  for (Trial trial : store_.trials(id_)) {
    if (const auto score = store_.get(id_, complete_key(trial.number))) trial.result = measured_from_json(*score);
    take(outcome, trial);
  }
  while (const auto kept = store_.get(id_, probe_key(outcome.probes.size() + 1)))
    outcome.probes.push_back(probe_from_json(*kept));
  return outcome;
}

double Study::spent(const StudyOutcome& outcome) const {
  double seconds = options_.seconds_before;
  for (const Trial& trial : outcome.trials) seconds += trial.seconds;
  for (const Probe& probe : outcome.probes) seconds += probe.seconds;
  return seconds;
}

std::optional<StopReason> Study::reason_to_stop(const StudyOutcome& outcome) const {
  const ExitPolicy& policy = options_.exit_policy;
  if (caller_failures_ >= kMostCallerFailures) return StopReason::CallerFailed;
  if (policy.timeout_seconds == 0 && outcome.goal_met) return StopReason::GoalMet;
  if (outcome.trials.size() >= policy.max_trials) return StopReason::MaxTrials;
  if (policy.timeout_seconds > 0 && spent(outcome) >= policy.timeout_seconds) return StopReason::Timeout;
  return std::nullopt;
}

// A best trial whose evaluation ended early gets its exact score; after that, another may be the best.
void Study::complete_best(StudyOutcome& outcome, const StudyWork& work, const StudyEvents& events,
                          const Observer& observer) const {
  while (work.complete && outcome.best && !outcome.best->result->complete) {
    const Measured score = work.complete(outcome.best->plan, observer);
    store_.put(id_, complete_key(outcome.best->number), to_json(score));
    StudyOutcome again = read_back();
    outcome.best = std::move(again.best);
    outcome.trials = std::move(again.trials);
    outcome.goal_met = again.goal_met;
    if (events.on_complete) events.on_complete(*outcome.best);
  }
}

StudyOutcome Study::run(const Strategy& strategy, const StudyWork& work, const StudyEvents& events,
                        const Observer& observer) {
  StudyOutcome outcome = read_back();
  const double spent_before = spent(outcome);
  const auto start = Clock::now();
  // The timeout also ends a trial that is under way; that trial is not recorded.
  bool timed_out = false;
  Observer watched = observer;
  watched.should_stop = [&] {
    timed_out = options_.exit_policy.timeout_seconds > 0 &&
                spent_before + seconds_since(start) >= options_.exit_policy.timeout_seconds;
    return timed_out || (observer.should_stop && observer.should_stop());
  };
  // The first trial runs to its end whatever the timeout, so that there is something in the hand.
  const auto watching = [&]() -> const Observer& { return outcome.best ? watched : observer; };

  const auto one_step = [&]() -> std::optional<StopReason> {
    if (const auto reason = reason_to_stop(outcome)) return reason;
    const History history{outcome.trials, options_.goal, options_.random_seed, outcome.probes,
                          options_.exit_policy.timeout_seconds > 0};
    auto step = strategy.next(options_.space, history);
    if (!step) return StopReason::NoPlanLeft;
    if (step->kind == Step::Kind::Probe) {
      Probe found = probe(std::move(step->plan), work, watching());
      found.before_trial = outcome.trials.size() + 1;
      store_.put(id_, probe_key(outcome.probes.size() + 1), to_json(found));
      outcome.probes.push_back(std::move(found));
      return std::nullopt;
    }
    const Trial trial = attempt(outcome.trials.size() + 1, std::move(step->plan), work.attempt, watching());
    store_.append(id_, trial);
    const bool is_best = take(outcome, trial);
    if (events.on_trial) events.on_trial(trial, is_best);
    return std::nullopt;
  };

  try {
    while (true) {
      const auto reason = one_step();
      if (!reason) continue;
      outcome.reason = *reason;
      if (*reason != StopReason::Timeout) complete_best(outcome, work, events, watched);
      return outcome;
    }
  } catch (const Interrupted&) {
    outcome.reason = timed_out ? StopReason::Timeout : StopReason::Interrupted;
    return outcome;
  }
}

}  // namespace lpot
