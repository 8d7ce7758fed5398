#include "lpot/plan/goal.h"

#include <fmt/format.h>

#include <cmath>

namespace lpot {
namespace {

bool is_equally_fast(const Measurement& a, const Measurement& b) {
  return lowest_speedup(a) <= highest_speedup(b) && lowest_speedup(b) <= highest_speedup(a);
}

// A number for the objective; larger is better.
double objective_value(const Measurement& measured, Objective objective) {
  switch (objective) {
    case Objective::Performance:
      return measured.speedup;
    case Objective::ModelSize:
      return -static_cast<double>(measured.size_bytes);
    case Objective::Footprint:
      return -static_cast<double>(measured.footprint_bytes);
  }
  return 0;
}

}  // namespace

double Goal::threshold() const {
  const double margin = relative ? tolerance * std::fabs(baseline) : tolerance;
  return higher_is_better ? baseline - margin : baseline + margin;
}

double Goal::acceptance_threshold() const {
  // An accuracy of 0.891 must meet the threshold 0.9 - 1%, although neither number is exact in binary.
  const double slack = 1e-12 * std::fmax(1.0, std::fabs(baseline));
  return higher_is_better ? threshold() - slack : threshold() + slack;
}

bool Goal::met(double accuracy) const {
  if (performance_only) return true;
  return higher_is_better ? accuracy >= acceptance_threshold() : accuracy <= acceptance_threshold();
}

std::string Goal::describe() const {
  if (performance_only) return "any accuracy (performance_only)";
  return fmt::format(
      "{} {:.4f} ({:.4f} {} {})", higher_is_better ? "at least" : "at most", threshold(), baseline,
      higher_is_better ? "less" : "plus",
      relative ? fmt::format("{:g}% relative", tolerance * 100) : fmt::format("{:g} absolute", tolerance));
}

bool is_better(const Trial& a, const Trial& b, const Goal& goal, Objective objective) {
  if (!a.result || !b.result) return a.result.has_value() && !b.result.has_value();
  const bool a_met = goal.met(a.result->accuracy), b_met = goal.met(b.result->accuracy);
  if (a_met != b_met) return a_met;
  if (!a_met) return goal.closer(a.result->accuracy, b.result->accuracy);
  const bool a_has_int8 = a.plan.int8_count() > 0, b_has_int8 = b.plan.int8_count() > 0;
  if (objective == Objective::Performance && a_has_int8 != b_has_int8 && is_equally_fast(*a.result, *b.result))
    return !a_has_int8;
  return objective_value(*a.result, objective) > objective_value(*b.result, objective);
}

const Trial* best_known(std::span<const Trial> trials, const Goal& goal, Objective objective) {
  const Trial* best = nullptr;
  for (const Trial& trial : trials) {
    if (!trial.result) continue;
    const bool decides_exactness = best && trial.result->complete != best->result->complete;
    if (!best || (decides_exactness ? trial.result->complete : is_better(trial, *best, goal, objective))) best = &trial;
  }
  return best;
}

}  // namespace lpot
