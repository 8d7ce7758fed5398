#include "lpot/plan/ranked_candidates.h"

#include <algorithm>
#include <cmath>

namespace lpot {
namespace {

// Replaces what a probe of a lower level said. A probe without an estimate does not replace an estimate.
void set_estimate(RankedCandidate& candidate, const Probe& probe, const Goal& goal) {
  if (probe.loss) {
    candidate.estimated_accuracy = goal.higher_is_better ? goal.baseline - *probe.loss : goal.baseline + *probe.loss;
    candidate.error = probe.loss_error;
    candidate.samples = probe.used_samples > 0 ? probe.used_samples : probe.samples;
    candidate.distance.reset();
  } else if (!candidate.estimated_accuracy && std::isfinite(probe.distance)) {
    candidate.distance = probe.distance;
  }
}

bool ranks_before(const RankedCandidate& a, const RankedCandidate& b, const Goal& goal) {
  const bool a_is_int8 = a.plan.int8_count() > 0, b_is_int8 = b.plan.int8_count() > 0;
  if (a_is_int8 != b_is_int8) return a_is_int8;
  if (a.estimated_accuracy && b.estimated_accuracy) return goal.closer(*a.estimated_accuracy, *b.estimated_accuracy);
  if (a.estimated_accuracy || b.estimated_accuracy) return a.estimated_accuracy.has_value();
  if (a.distance && b.distance) return *a.distance < *b.distance;
  return a.distance.has_value() && !b.distance;
}

}  // namespace

std::vector<RankedCandidate> ranked_candidates(std::span<const Probe> probes, std::span<const Trial> trials,
                                               const Goal& goal) {
  std::vector<RankedCandidate> found;
  for (int level = 1; level <= 2; ++level)
    for (const Probe& probe : probes) {
      if (probe.level != level) continue;
      auto candidate = std::find_if(found.begin(), found.end(),
                                    [&](const RankedCandidate& other) { return other.plan == probe.plan; });
      if (candidate == found.end()) candidate = found.insert(found.end(), RankedCandidate{.plan = probe.plan});
      set_estimate(*candidate, probe, goal);
    }
  for (RankedCandidate& candidate : found) {
    const auto tried =
        std::find_if(trials.begin(), trials.end(), [&](const Trial& trial) { return trial.plan == candidate.plan; });
    if (tried != trials.end()) candidate.trial = tried->number;
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](const RankedCandidate& a, const RankedCandidate& b) { return ranks_before(a, b, goal); });
  return found;
}

}  // namespace lpot
