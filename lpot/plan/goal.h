// Decides whether a trial is good enough, and which of two trials is better.
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
  bool relative = true;  // `tolerance` is a fraction of the baseline; else in the units of the metric
  bool higher_is_better = true;
  bool performance_only = false;  // every trial meets the goal

  double threshold() const;             // the worst accuracy that still meets the goal
  double acceptance_threshold() const;  // the threshold with a margin for rounding errors; met() uses it
  bool met(double accuracy) const;
  double loss(double accuracy) const { return higher_is_better ? baseline - accuracy : accuracy - baseline; }
  double allowed_loss() const { return loss(threshold()); }
  // Whether accuracy `a` is better than `b`.
  bool closer(double a, double b) const { return higher_is_better ? a > b : a < b; }
  std::string describe() const;  // "at least 0.9155 (0.9173 less 0.2% relative)"
};

// Whether `a` is better than `b`:
// - Trials that meet the goal are better than trials that do not. Failed trials are the worst.
// - If both meet the goal, the objective decides. If the objective is the speed and the confidence intervals of the
//   speeds overlap, a model without int8 is better than an int8 model, because it is more accurate.
// - If neither meets the goal, the accuracy decides.
bool is_better(const Trial& a, const Trial& b, const Goal&, Objective);

// The result of a search: the best completely evaluated trial, or the best estimate if there is no such trial. Returns
// nullptr if all trials failed.
const Trial* best_known(std::span<const Trial>, const Goal&, Objective);

}  // namespace lpot
