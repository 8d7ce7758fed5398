#include "lpot/tune/precision_stage.h"

#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/runtime/precision.h"

namespace lpot {
namespace {

// Whether the intervals do not overlap, also if both are wider by the spread between processes.
bool is_clearly_faster(const TimeRatio& one, const TimeRatio& other) {
  return one.low > (1 + kProcessSpread) * other.high;
}

PrecisionChoice measure_precision(const TuningContext& context, CandidateBuilder& builder) {
  const PlanChoices& choices = context.task.choices;
  PrecisionChoice choice{choices.inference_precision};
  Model unquantized = context.task.model;
  unquantized.precision = choices.inference_precision;
  std::vector<Model> models{std::move(unquantized)};
  const bool is_open = !context.config.quantization.precision && !choices.model_choices.empty();
  if (is_open) {
    models.push_back(builder.model(first_plan(choices)));
    models.push_back(builder.model(first_plan(in_f32(choices))));
  }
  const std::vector<TimeRatio> speedups = context.measurer.speed().compare(models);
  choice.unquantized_speedup = speedups.front().high;
  if (!is_open) return choice;
  const TimeRatio &in_16_bits = speedups[1], &with_f32 = speedups[2];
  if (is_clearly_faster(with_f32, in_16_bits)) {
    choice = {};
    context.observer.log(LogLevel::Info,
                         fmt::format("ops that are not int8 run in f32, which makes the int8 model {:.2f} x faster "
                                     "than with {}, the runtime's default",
                                     with_f32.median / in_16_bits.median, to_string(choices.inference_precision)));
  }
  return choice;
}

}  // namespace

PrecisionChoice choose_precision(const TuningContext& context, CandidateBuilder& builder) {
  const InferencePrecision allowed = context.task.choices.inference_precision;
  if (allowed == InferencePrecision::F32) return {};
  // Plain kernel variants mean that speed decides nothing, so that the same study gives the same plans.
  if (!context.config.quantization.recipes.measured_kernel_variants) return {allowed};
  StudyCache& cache = context.session.cache();
  if (const auto known = cache.precision()) return *known;
  const PrecisionChoice measured = measure_precision(context, builder);
  cache.store_precision(measured);
  return measured;
}

}  // namespace lpot
