// Computes the final plan for a plan of the search. Plans use half the weight range wherever the CPU may need it; the
// final plan uses the full range for ops whose sums cannot overflow (quantize/saturation.h). In a Bf16 plan, the final
// plan has the ops in f32 for which the configuration demands it.
#pragma once
#include <optional>

#include "lpot/quantize/saturation.h"
#include "lpot/tune/plan_statistics.h"
#include "lpot/tune/quantization_task.h"

namespace lpot {

class PlanFinalizer {
 public:
  // Task and statistics must outlive this object.
  PlanFinalizer(const QuantizationTask&, const Config&, const StatisticsByPlan&);

  Plan finalize(const Plan& proposed);

 private:
  const PlanChoices& choices_;
  std::optional<WeightRangePolicy> weight_ranges_;  // none: weight ranges are final already
};

}  // namespace lpot
