#include "lpot/report/faster_trial.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "lpot/core/json.h"
#include "lpot/report/study_view.h"
#include "lpot/report/table.h"
#include "lpot/store/study_record.h"

namespace lpot {
namespace {

constexpr double kMinRatio = 1.05;  // smaller differences of latencies may be measurement noise

// The smallest of 1, 2, 5, 10, ... times a power of ten that is larger than `value`.
double next_round_number(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power > value * (1 + 1e-9)) return factor * power;
  return 10 * power;
}

Goal with_tolerance(Goal goal, double tolerance) {
  goal.tolerance = tolerance;
  return goal;
}

// After a tolerance of 0: 0.1% of the accuracy of the fp32 model.
Goal next_looser(const Goal& goal) {
  const double scale = goal.relative ? 1 : std::fabs(goal.baseline);
  const bool is_zero = goal.tolerance <= 0;
  if (is_zero && scale == 0) return goal;
  return with_tolerance(goal, next_round_number(is_zero ? 0.00099 * scale : goal.tolerance));
}

// The tolerance that accepts this accuracy, rounded up to two digits.
double needed_tolerance(const Goal& goal, double accuracy) {
  const double tolerance = goal.loss(accuracy) / (goal.relative ? std::fabs(goal.baseline) : 1);
  const double digit = std::pow(10, std::floor(std::log10(tolerance)) - 1);
  return std::ceil(tolerance / digit - 1e-9) * digit;
}

std::string setting(const Goal& goal) {
  return fmt::format("tuning.accuracy_criterion.{}: {:g}", goal.relative ? "relative" : "absolute", goal.tolerance);
}

// How much faster a trial is. Speed-ups are relative to fp32 runs, which a load peak may have slowed down; latencies
// come from different times. The smaller ratio is supported by both.
double faster_by(const Measurement& measured, const Measurement& than) {
  return std::fmin(measured.speedup / than.speedup, than.latency_ms / measured.latency_ms);
}

// Completely evaluated trials are preferred: the others are timed only briefly.
const Trial* fastest(std::span<const Trial> trials, const Measurement& best, const Goal& goal) {
  const Trial* found = nullptr;
  const auto rank = [&](const Trial& trial) {
    return std::pair(trial.result->complete, faster_by(*trial.result, best));
  };
  for (const Trial& trial : trials)
    if (trial.result && goal.met(trial.result->accuracy) && faster_by(*trial.result, best) >= kMinRatio)
      if (!found || rank(trial) > rank(*found)) found = &trial;
  return found;
}

std::string advice(const Measurement& measured, const Goal& goal) {
  if (!measured.complete)
    return fmt::format("Its evaluation stopped early; to complete it, set {}.", setting(next_looser(goal)));
  const Goal accepting = with_tolerance(goal, needed_tolerance(goal, measured.accuracy));
  const std::string amount =
      goal.relative ? fmt::format("{:g}%", 100 * accepting.tolerance) : fmt::format("{:g}", accepting.tolerance);
  return fmt::format("A goal of {} accepts it ({}).", amount, setting(accepting));
}

}  // namespace

std::optional<FasterTrial> find_faster_trial(std::span<const Trial> trials, const Trial& best, const Goal& goal,
                                             Objective objective) {
  const Trial* passing = objective == Objective::Performance ? nullptr : fastest(trials, *best.result, goal);
  const Trial* found = passing || goal.performance_only ? passing : fastest(trials, *best.result, next_looser(goal));
  if (!found) return std::nullopt;
  const Measurement& measured = *found->result;
  const std::string ratio = format_ratio(faster_by(measured, *best.result), "faster", "slower");
  const std::string start = fmt::format("Trial {} {} than the returned model and", found->number,
                                        measured.complete ? "is " + ratio : "may be faster");
  if (passing)
    return FasterTrial{found->number, start + " meets the goal too.",
                       "To select models by speed, set tuning.objective: performance."};
  const double missed = goal.loss(measured.accuracy) - goal.allowed_loss();
  return FasterTrial{found->number,
                     fmt::format("{} misses the goal by {}{:.2g}.", start, measured.complete ? "" : "about ", missed),
                     advice(measured, goal)};
}

OrderedJson report_view(const Store& store, const StudyEntry& entry) {
  OrderedJson view = study_view(store, entry);
  const StudyRecord record(store, entry.id);
  const std::optional<StudyAbout> about = record.about();
  const std::vector<Trial> trials = record.trials();
  if (!about || !record.end(trials.size())) return view;
  const Trial* best = best_known(trials, about->goal, about->objective);
  if (!best) return view;
  if (const auto faster = find_faster_trial(trials, *best, about->goal, about->objective))
    view["faster_trial"] = faster->finding + " " + faster->advice;
  return view;
}

}  // namespace lpot
