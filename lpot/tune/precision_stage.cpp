#include "lpot/tune/precision_stage.h"

#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/runtime/precision.h"

namespace lpot {
namespace {

// Speed compared with the f32 model.
TimeRatio speed_of(const TuningContext& context, const Model& model) {
  return context.measurer.speed().measure(model, SpeedMeter::Effort::Full).speedup;
}

// Whether the intervals do not overlap, also if both are wider by the spread between processes.
bool is_clearly_faster(const TimeRatio& one, const TimeRatio& other) {
  return one.low > (1 + kProcessSpread) * other.high;
}

PrecisionChoice measure_precision(const TuningContext& context, CandidateBuilder& builder) {
  const PlanChoices& choices = context.task.choices;
  PrecisionChoice choice{choices.inference_precision};
  choice.unquantized_speedup = speed_of(context, builder.model(unquantized_plan(choices))).high;
  if (context.config.quantization.precision || choices.model_choices.empty()) return choice;
  const TimeRatio in_16_bits = speed_of(context, builder.model(first_plan(choices)));
  const TimeRatio with_f32 = speed_of(context, builder.model(first_plan(in_f32(choices))));
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
