#include "lpot/tune/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lpot/core/clock.h"
#include "lpot/core/error.h"

namespace lpot {
namespace {

constexpr std::size_t kMostCallerFailures = 3;  // in a row
constexpr std::size_t kMostForExpecting = 500;  // trials and probes: beyond, to ask twice would cost more than it saves

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

bool Study::is_new_best(StudyOutcome& outcome, const Trial& trial) const {
  const bool is_best =
      trial.result && (!outcome.best || is_better(trial, *outcome.best, options_.goal, options_.objective));
  if (is_best) outcome.best = trial;
  outcome.goal_met = outcome.best && options_.goal.met(outcome.best->result->accuracy);
  return is_best;
}

bool Study::take(Progress& progress, const Trial& trial) const {
  progress.outcome.trials.push_back(trial);
  progress.trials.add(key_of(trial.plan));
  progress.seconds += trial.seconds;
  return is_new_best(progress.outcome, trial);
}

void Study::take(Progress& progress, Probe probe) const {
  progress.probes.add(key_of(probe.plan));
  progress.seconds += probe.seconds;
  progress.outcome.probes.push_back(std::move(probe));
}

std::vector<Trial> trials_with_scores(const Store& store, StudyId study) {
  std::vector<Trial> trials = store.trials(study);
  for (Trial& trial : trials)
    if (const auto score = store.get(study, complete_key(trial.number))) trial.result = measured_from_json(*score);
  return trials;
}

Study::Progress Study::read_back() const {
  Progress progress;
  progress.seconds = options_.seconds_before;
  for (const Trial& trial : trials_with_scores(store_, id_)) {
    if (trial.number != progress.outcome.trials.size() + 1)
      throw StoreError("store", fmt::format("trial {} of study {} is missing: the store is damaged; move it away to "
                                            "start anew",
                                            progress.outcome.trials.size() + 1, id_));
    take(progress, trial);
  }
  while (const auto kept = store_.get(id_, probe_key(progress.outcome.probes.size() + 1)))
    take(progress, probe_from_json(*kept));
  return progress;
}

std::optional<StopReason> Study::reason_to_stop(const Progress& progress) const {
  const StudyOutcome& outcome = progress.outcome;
  const ExitPolicy& policy = options_.exit_policy;
  if (caller_failures_ >= kMostCallerFailures) return StopReason::CallerFailed;
  if (policy.timeout_seconds == 0 && outcome.goal_met) return StopReason::GoalMet;
  if (outcome.trials.size() >= policy.max_trials) return StopReason::MaxTrials;
  if (policy.timeout_seconds > 0 && progress.seconds >= policy.timeout_seconds) return StopReason::Timeout;
  return std::nullopt;
}

// A best trial whose evaluation ended early gets its exact score; after that, another may be the best. The first exact
// score of a study is made whatever the timeout.
void Study::complete_best(StudyOutcome& outcome, const StudyWork& work, const StudyEvents& events,
                          const Observer& observer, const Observer& with_timeout) const {
  const auto is_exact = [](const Trial& trial) { return trial.result && trial.result->complete; };
  while (work.complete && outcome.best && !is_exact(*outcome.best)) {
    const bool has_exact = std::any_of(outcome.trials.begin(), outcome.trials.end(), is_exact);
    const Measured score = work.complete(outcome.best->plan, has_exact ? with_timeout : observer);
    store_.put(id_, complete_key(outcome.best->number), to_json(score));
    outcome.trials.at(outcome.best->number - 1).result = score;
    outcome.best.reset();
    for (const Trial& trial : outcome.trials) is_new_best(outcome, trial);
    if (events.on_complete) events.on_complete(*outcome.best);
  }
}

History Study::history_of(const StudyOutcome& outcome) const {
  return {outcome.trials, options_.goal, options_.random_seed, outcome.probes,
          options_.exit_policy.timeout_seconds > 0};
}

// A strategy is a pure function: it can be asked what it would do next if the step went as the last of its kind.
// Nothing where that is not worth asking: the first model mostly passes, and what comes after the last probe hangs on
// it.
std::optional<Step> Study::expected_after(const Step& step, const Strategy& strategy, StudyOutcome& outcome) const {
  if (outcome.trials.size() + outcome.probes.size() > kMostForExpecting || outcome.trials.empty()) return std::nullopt;
  if (step.kind == Step::Kind::Probe) {
    Probe as_before{step.plan, outcome.probes.empty() ? 1.0 : outcome.probes.back().distance};
    as_before.before_trial = outcome.trials.size() + 1;
    outcome.probes.push_back(std::move(as_before));
    auto next = strategy.next(options_.space, history_of(outcome));
    outcome.probes.pop_back();
    return next;
  }
  if (outcome.trials.size() + 1 >= options_.exit_policy.max_trials) return std::nullopt;
  Trial as_before = outcome.trials.back();
  as_before.number = outcome.trials.size() + 1;
  as_before.plan = step.plan;
  outcome.trials.push_back(std::move(as_before));
  auto next = strategy.next(options_.space, history_of(outcome));
  outcome.trials.pop_back();
  return next;
}

StudyOutcome Study::run(const Strategy& strategy, const StudyWork& work, const StudyEvents& events,
                        const Observer& observer) {
  Progress progress = read_back();
  StudyOutcome& outcome = progress.outcome;
  const double spent_before = progress.seconds;
  const auto start = Clock::now();
  // The search leaves as much of the timeout as the exact score of the best trial will take.
  bool is_searching = true;
  const auto is_over = [&] {
    const double timeout = options_.exit_policy.timeout_seconds;
    const bool waits_for_score =
        is_searching && work.complete_seconds && outcome.best && !outcome.best->result->complete;
    const double left_over = waits_for_score ? work.complete_seconds(*outcome.best) : 0;
    return timeout > 0 && spent_before + seconds_since(start) >= timeout - left_over;
  };
  // The timeout also ends a trial that is under way; that trial is not recorded.
  bool timed_out = false;
  Observer watched = observer;
  watched.should_stop = [&] {
    timed_out = is_over();
    return timed_out || (observer.should_stop && observer.should_stop());
  };
  // The first trial runs to its end whatever the timeout, so that there is something in the hand.
  const auto watching = [&]() -> const Observer& { return outcome.best ? watched : observer; };

  const auto one_step = [&]() -> std::optional<StopReason> {
    if (const auto reason = reason_to_stop(progress)) return reason;
    if (outcome.best && is_over()) return StopReason::Timeout;
    History history = history_of(outcome);
    history.trial_index = &progress.trials;
    history.probe_index = &progress.probes;
    auto step = strategy.next(options_.space, history);
    if (!step) return StopReason::NoPlanLeft;
    if (work.expect)
      if (const auto next = expected_after(*step, strategy, outcome)) work.expect(*next);
    if (step->kind == Step::Kind::Probe) {
      const std::size_t next_trial = outcome.trials.size() + 1;
      const auto done =
          static_cast<std::size_t>(std::count_if(outcome.probes.begin(), outcome.probes.end(),
                                                 [&](const Probe& probe) { return probe.before_trial == next_trial; }));
      observer.progress("sensitivity", done, done + 1 + step->ahead);
      Probe found = probe(std::move(step->plan), work, watching());
      observer.progress("sensitivity", done + 1, done + 1 + step->ahead);
      found.before_trial = next_trial;
      store_.put(id_, probe_key(outcome.probes.size() + 1), to_json(found));
      take(progress, std::move(found));
      return std::nullopt;
    }
    const Trial trial = attempt(outcome.trials.size() + 1, std::move(step->plan), work.attempt, watching());
    store_.append(id_, trial);
    const bool is_best = take(progress, trial);
    if (events.on_trial) events.on_trial(trial, is_best);
    return std::nullopt;
  };

  const auto search = [&]() -> StopReason {
    try {
      while (true)
        if (const auto reason = one_step()) return *reason;
    } catch (const Interrupted&) {
      return timed_out ? StopReason::Timeout : StopReason::Interrupted;
    }
  };
  outcome.reason = search();
  is_searching = timed_out = false;
  if (outcome.reason != StopReason::Interrupted) try {
      complete_best(outcome, work, events, observer, watched);
    } catch (const Interrupted&) {
      outcome.reason = timed_out ? StopReason::Timeout : StopReason::Interrupted;
    }
  if (const Trial* best = best_known(outcome.trials, options_.goal, options_.objective)) {
    outcome.best = *best;
    outcome.goal_met = options_.goal.met(best->result->accuracy);
  }
  return std::move(outcome);
}

}  // namespace lpot
