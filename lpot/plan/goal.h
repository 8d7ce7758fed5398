// When is a trial good enough, and which of two trials is the better one.
//
//   const Goal goal{.baseline = 0.9173, .tolerance = 0.01};  // 1% relative
//   if (goal.met(0.9120)) std::cout << "loss: " << goal.loss(0.9120) << "\n";
//   const Trial* best = best_known(trials, goal, Objective::Performance);
//
#pragma once
#include <span>
#include <string>

#include "lpot/core/scheme.h"
#include "lpot/plan/trial.h"

namespace lpot {

struct Goal {
  double baseline = 0;  // the fp32 model's accuracy
  double tolerance = 0.01;
  bool relative = true;  // of the baseline's magnitude; else in the metric's own unit
  bool higher_is_better = true;
  bool performance_only = false;  // every trial meets it

  double threshold() const;  // the worst accuracy that still meets the goal
  double lowest() const;     // the same with room for rounding; what `met` compares with
  bool met(double accuracy) const;
  double loss(double accuracy) const { return higher_is_better ? baseline - accuracy : accuracy - baseline; }
  double allowed_loss() const { return loss(threshold()); }
  bool closer(double a, double b) const { return higher_is_better ? a > b : a < b; }
  std::string describe() const;  // "at least 0.9155 (0.9173 less 0.2% relative)"
};

// The first trial of an order: those that meet the goal before the others; among them by objective, among the others by
// accuracy. Trials that failed are last.
bool is_better(const Trial& a, const Trial& b, const Goal&, Objective);

// The trial that a search comes back with: the first of that order, but of the exactly measured ones where there are
// any, for an estimate promises nothing. Null when all failed.
const Trial* best_known(std::span<const Trial>, const Goal&, Objective);

}  // namespace lpot
