// The candidates that a search ranked by estimated accuracy, for reports: plans for the whole model with different
// range estimators and recipes. Some of them became trials.
//
//   const Goal goal{.baseline = 0.9173, .tolerance = 0.01};
//   for (const RankedCandidate& candidate : ranked_candidates(outcome.probes, outcome.trials, goal))
//     if (candidate.estimated_accuracy) std::cout << *candidate.estimated_accuracy << " +- " << candidate.error <<
//     "\n";
//
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "lpot/plan/goal.h"
#include "lpot/plan/trial.h"

namespace lpot {

struct RankedCandidate {
  Plan plan;
  // Unset: the probe failed, or the evaluation is a program or a function of the user, which only gives a distance.
  std::optional<double> estimated_accuracy = {};
  double error = 0;                       // standard error of the estimate
  std::size_t samples = 0;                // that the estimate is computed from
  std::optional<double> distance = {};    // of the outputs from fp32; set only if there is no estimate
  std::optional<std::size_t> trial = {};  // number of the trial with this plan; unset: not tried
};

// One candidate for each plan that has a probe of level 1 or 2. The probe with more samples counts. The best estimate
// is the first; then follow candidates with only a distance, then those whose probes failed. The model without int8 is
// the last, because a search uses it only if no int8 model is good enough.
std::vector<RankedCandidate> ranked_candidates(std::span<const Probe>, std::span<const Trial>, const Goal&);

}  // namespace lpot
