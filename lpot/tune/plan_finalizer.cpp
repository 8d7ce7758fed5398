#include "lpot/tune/plan_finalizer.h"

#include "lpot/tune/setup.h"

namespace lpot {

PlanFinalizer::PlanFinalizer(const QuantizationTask& task, const Config& config, const StatisticsByPlan& statistics)
    : choices_(task.choices) {
  if (config.quantization.recipes.half_range || !use_half_range(config, task.cpu)) return;
  weight_ranges_.emplace(task.model, task.full_range,
                         [&statistics](const Plan& plan) -> const Statistics& { return statistics.of(plan); });
}

Plan PlanFinalizer::finalize(const Plan& proposed) {
  // Without int8 there are no weight ranges, and there may be no statistics.
  const bool has_ranges = weight_ranges_ && proposed.int8_count() > 0;
  return with_f32_ops(has_ranges ? (*weight_ranges_)(proposed) : proposed, choices_);
}

}  // namespace lpot
