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
// The largest number of trials and probes for which the next step is predicted. With more, asking the strategy twice
// costs more time than building the next model ahead saves.
constexpr std::size_t kMostForExpecting = 500;

bool is_exact(const Trial& trial) { return trial.result && trial.result->complete; }

}  // namespace

// One run of a study: its history and its clock.
class Study::Loop {
 public:
  Loop(Study& study, const Strategy& strategy, const StudyWork& work, const StudyEvents& events,
       const Observer& observer)
      : options_(study.options_),
        record_(study.record_),
        strategy_(strategy),
        work_(work),
        events_(events),
        observer_(observer) {}

  void read_back(StudyId);
  StudyOutcome run();

 private:
  // The trials and probes so far, with indexes so that a step does not compare all of them.
  struct Progress {
    StudyOutcome outcome;
    PlanIndex trials, probes;
    double seconds = 0;
  };

  std::optional<StopReason> step(const Observer& with_timeout);
  std::optional<StopReason> reason_to_stop() const;
  bool is_over() const;
  void expect_after(const Step&) const;
  std::optional<Step> step_after(const Step&) const;
  History history_of(const std::vector<Trial>&, const std::vector<Probe>&) const;
  void run_probe(Step, const Observer&);
  void run_trial(Plan, const Observer&);
  Trial attempt(Plan, const Observer&);
  Probe probe(Step, const Observer&) const;
  bool add(const Trial&);  // returns whether it is the new best
  void add(Probe);
  bool is_new_best(const Trial&);  // if true, also stores it as the best trial
  void complete_best(const Observer& with_timeout);

  const StudyOptions& options_;
  StudyWriter& record_;
  const Strategy& strategy_;
  const StudyWork& work_;
  const StudyEvents& events_;
  const Observer& observer_;
  Progress progress_;
  double spent_before_ = 0;
  Clock::time_point start_ = Clock::now();
  bool is_searching_ = true;
  std::size_t caller_failures_ = 0;  // in a row
};

void Study::Loop::read_back(StudyId id) {
  progress_.seconds = options_.seconds_before;
  for (const Trial& trial : record_.trials()) {
    if (trial.number != progress_.outcome.trials.size() + 1)
      throw StoreError("store", fmt::format("trial {} of study {} is missing, so the store is damaged; move it away to "
                                            "start again",
                                            progress_.outcome.trials.size() + 1, id));
    add(trial);
  }
  for (Probe& known : record_.probes()) add(std::move(known));
  spent_before_ = progress_.seconds;
}

bool Study::Loop::is_new_best(const Trial& trial) {
  StudyOutcome& outcome = progress_.outcome;
  const bool is_best =
      trial.result && (!outcome.best || is_better(trial, *outcome.best, options_.goal, options_.objective));
  if (is_best) outcome.best = trial;
  outcome.goal_met = outcome.best && options_.goal.met(outcome.best->result->accuracy);
  return is_best;
}

bool Study::Loop::add(const Trial& trial) {
  progress_.outcome.trials.push_back(trial);
  progress_.trials.add(key_of(trial.plan));
  progress_.seconds += trial.seconds;
  return is_new_best(trial);
}

void Study::Loop::add(Probe found) {
  progress_.probes.add(probe_key(key_of(found.plan), found.level));
  progress_.seconds += found.seconds;
  progress_.outcome.probes.push_back(std::move(found));
}

Trial Study::Loop::attempt(Plan plan, const Observer& observer) {
  const auto start = Clock::now();
  Trial trial;
  trial.number = progress_.outcome.trials.size() + 1;
  trial.plan = std::move(plan);
  try {
    const Measurement measured = work_.attempt(trial.plan, observer);
    if (std::isfinite(measured.accuracy))
      trial.result = measured;
    else
      trial.error = "[evaluate] the accuracy is not a finite number";
    caller_failures_ = 0;
  } catch (const StoreError&) {
    throw;
  } catch (const DistributedError&) {
    throw;
  } catch (const CallerError& error) {
    trial.error = error.what();
    ++caller_failures_;
  } catch (const Error& error) {
    trial.error = error.what();
    caller_failures_ = 0;
  }
  trial.seconds = seconds_since(start);
  return trial;
}

Probe Study::Loop::probe(Step step, const Observer& observer) const {
  const auto start = Clock::now();
  Probe found{std::move(step.plan), std::numeric_limits<double>::infinity()};
  found.level = step.level;
  try {
    if (step.level > 0 && work_.estimate)
      if (const auto estimate = work_.estimate(found.plan, step.level, observer)) {
        found.loss = estimate->loss;
        found.loss_error = estimate->error;
        found.loss_spread = estimate->spread;
        found.samples = estimate->samples;
        found.used_samples = estimate->used_samples;
      }
    if (!found.loss && work_.probe) found.distance = work_.probe(found.plan, step.level, observer);
  } catch (const StoreError&) {
    throw;
  } catch (const DistributedError&) {
    throw;
  } catch (const Error& error) {
    observer.log(LogLevel::Debug, fmt::format("a probe failed: {}", error.what()));
  }
  found.seconds = seconds_since(start);
  return found;
}

std::optional<StopReason> Study::Loop::reason_to_stop() const {
  const StudyOutcome& outcome = progress_.outcome;
  const ExitPolicy& policy = options_.exit_policy;
  if (caller_failures_ >= kMostCallerFailures) return StopReason::CallerFailed;
  if (outcome.trials.size() >= policy.max_trials)
    return policy.timeout_seconds == 0 && outcome.goal_met ? StopReason::GoalMet : StopReason::MaxTrials;
  if (policy.timeout_seconds == 0 && outcome.goal_met) return StopReason::GoalMet;
  if (!outcome.trials.empty() && policy.timeout_seconds > 0 && progress_.seconds >= policy.timeout_seconds)
    return StopReason::Timeout;
  if (outcome.best && is_over()) return StopReason::Timeout;
  return std::nullopt;
}

// The search ends early enough to leave time for the exact score of the best trial.
bool Study::Loop::is_over() const {
  const double timeout = options_.exit_policy.timeout_seconds;
  const auto& best = progress_.outcome.best;
  const bool waits_for_score = is_searching_ && work_.complete_seconds && best && !best->result->complete;
  const double left_over = waits_for_score ? work_.complete_seconds(*best) : 0;
  return timeout > 0 && spent_before_ + seconds_since(start_) >= timeout - left_over;
}

// Measures the exact score of a best trial whose evaluation stopped early; after that, another trial may be the best.
// The first exact score of a study is measured even after the timeout, so that there is a result.
void Study::Loop::complete_best(const Observer& with_timeout) {
  StudyOutcome& outcome = progress_.outcome;
  while (work_.complete && outcome.best && !is_exact(*outcome.best)) {
    const bool has_exact = std::any_of(outcome.trials.begin(), outcome.trials.end(), is_exact);
    const Measurement score = work_.complete(outcome.best->plan, has_exact ? with_timeout : observer_);
    record_.update_score(outcome.best->number, score);
    outcome.trials.at(outcome.best->number - 1).result = score;
    outcome.best.reset();
    for (const Trial& trial : outcome.trials) is_new_best(trial);
    if (events_.on_complete) events_.on_complete(*outcome.best);
  }
}

History Study::Loop::history_of(const std::vector<Trial>& trials, const std::vector<Probe>& probes) const {
  return {trials, options_.goal, options_.random_seed, probes, options_.exit_policy.timeout_seconds > 0};
}

// A strategy is a pure function, so it can be asked for its next step under the assumption that this step gives the
// result of the last one of its kind. It gets a copy, so that an assumed result never gets into the study.
std::optional<Step> Study::Loop::step_after(const Step& step) const {
  std::vector<Trial> trials = progress_.outcome.trials;
  std::vector<Probe> probes = progress_.outcome.probes;
  if (step.kind == Step::Kind::Probe) {
    Probe assumed = probes.empty() ? Probe{.plan = {}, .distance = 1} : probes.back();
    assumed.plan = step.plan;
    assumed.level = step.level;
    assumed.before_trial = trials.size() + 1;
    probes.push_back(std::move(assumed));
  } else {
    Trial assumed = trials.back();
    assumed.number = trials.size() + 1;
    assumed.plan = step.plan;
    trials.push_back(std::move(assumed));
  }
  return strategy_.next(options_.space, history_of(trials, probes));
}

// Predicts the step after this one. Not before the first trial, because its model usually meets the goal, not in long
// studies, and not before the last trial.
void Study::Loop::expect_after(const Step& step) const {
  const StudyOutcome& outcome = progress_.outcome;
  if (!work_.expect || outcome.trials.empty()) return;
  if (outcome.trials.size() + outcome.probes.size() > kMostForExpecting) return;
  if (step.kind == Step::Kind::Try && outcome.trials.size() + 1 >= options_.exit_policy.max_trials) return;
  if (const auto next = step_after(step)) work_.expect(*next);
}

void Study::Loop::run_probe(Step step, const Observer& observer) {
  const std::vector<Probe>& probes = progress_.outcome.probes;
  const std::size_t next_trial = progress_.outcome.trials.size() + 1;
  const auto done = static_cast<std::size_t>(std::count_if(
      probes.begin(), probes.end(), [&](const Probe& known) { return known.before_trial == next_trial; }));
  observer_.progress("sensitivity", done, done + 1 + step.ahead);
  const std::size_t expected = done + 1 + step.ahead;
  Probe found = probe(std::move(step), observer);
  observer_.progress("sensitivity", done + 1, expected);
  found.before_trial = next_trial;
  record_.append(found, probes.size() + 1);
  add(std::move(found));
}

void Study::Loop::run_trial(Plan plan, const Observer& observer) {
  const Trial trial = attempt(std::move(plan), observer);
  record_.append(trial);
  const bool is_best = add(trial);
  if (events_.on_trial) events_.on_trial(trial, is_best);
}

std::optional<StopReason> Study::Loop::step(const Observer& with_timeout) {
  const auto reason = reason_to_stop();
  const bool may_continue = progress_.outcome.trials.size() < options_.exit_policy.max_trials;
  if (reason && (reason != StopReason::GoalMet || !may_continue)) return reason;
  History history = history_of(progress_.outcome.trials, progress_.outcome.probes);
  history.use(progress_.trials, progress_.probes);
  auto next = reason ? strategy_.before_stopping(options_.space, history) : strategy_.next(options_.space, history);
  if (!next) return reason.value_or(StopReason::NoPlanLeft);
  expect_after(*next);
  // The first trial runs to its end even after the timeout, so that there is a result.
  const Observer& watching = progress_.outcome.best ? with_timeout : observer_;
  if (next->kind == Step::Kind::Probe)
    run_probe(std::move(*next), watching);
  else
    run_trial(std::move(next->plan), watching);
  return std::nullopt;
}

StudyOutcome Study::Loop::run() {
  // The timeout also stops the running trial, which is then not recorded.
  bool timed_out = false;
  Observer with_timeout = observer_;
  with_timeout.should_stop = [&] {
    timed_out = is_over();
    return timed_out || (observer_.should_stop && observer_.should_stop());
  };
  StudyOutcome& outcome = progress_.outcome;
  const auto interrupted = [&] { return timed_out ? StopReason::Timeout : StopReason::Interrupted; };
  try {
    std::optional<StopReason> reason;
    while (!(reason = step(with_timeout))) continue;
    outcome.reason = *reason;
  } catch (const Interrupted&) {
    outcome.reason = interrupted();
  }
  is_searching_ = timed_out = false;
  if (outcome.reason != StopReason::Interrupted) try {
      complete_best(with_timeout);
    } catch (const Interrupted&) {
      outcome.reason = interrupted();
    }
  if (const Trial* best = best_known(outcome.trials, options_.goal, options_.objective)) {
    outcome.best = *best;
    outcome.goal_met = options_.goal.met(best->result->accuracy);
  }
  return std::move(outcome);
}

Study::Study(Store& store, StudyId id, StudyOptions options)
    : record_(store, id), id_(id), options_(std::move(options)) {}

StudyOutcome Study::run(const Strategy& strategy, const StudyWork& work, const StudyEvents& events,
                        const Observer& observer) {
  Loop loop(*this, strategy, work, events, observer);
  loop.read_back(id_);
  return loop.run();
}

}  // namespace lpot
