// What a plan of the search is written as. Plans say half the weight range wherever the CPU may need it; an op whose
// sums cannot overflow gets the full range (quantize/saturation.h).
#pragma once
#include <optional>

#include "lpot/quantize/saturation.h"
#include "lpot/tune/plan_statistics.h"
#include "lpot/tune/quantization_task.h"

namespace lpot {

class PlanFinalizer {
 public:
  // Task and statistics must outlive it.
  PlanFinalizer(const QuantizationTask&, const Config&, const StatisticsByPlan&);

  Plan finalize(const Plan& proposed);

 private:
  std::optional<WeightRangePolicy> weight_ranges_;  // nothing: plans are written as they are
};

}  // namespace lpot
