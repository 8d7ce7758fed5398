#include "lpot/tune/stages.h"

#include <algorithm>

#include "lpot/core/clock.h"
#include "lpot/quantize/noise.h"
#include "lpot/quantize/range_choice.h"
#include "lpot/quantize/saturation.h"
#include "lpot/tune/kernel_variant_stage.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

constexpr double kShareForVariants = 0.03;  // share of an evaluation's time for kernel variants
constexpr double kLeastForVariants = 0.15;  // seconds

// Restores the evaluator's state: the baseline also from another study, the first model only from a resumed study. The
// first model of another study would change the order of evaluation, and with it the estimates of this study.
void restore_evaluator(const TuningContext& context) {
  const StudyCache& cache = context.session.cache();
  if (const auto notes = cache.baseline_notes()) context.evaluator.restore(*notes);
  if (const auto notes = cache.record().first_model_notes()) context.evaluator.restore(*notes);
  context.evaluator.prepare(context.task.model, context.observer);
}

KernelVariantChoice measure_variants(const TuningContext& context, CandidateBuilder& builder,
                                     const PlanChoices& choices, const Statistics& statistics) {
  const Plan all_int8 = first_plan(choices);
  SpeedMeter& speed = context.measurer.speed();
  KernelVariantOptions options{.compiled = &speed.compiled()};
  options.write = [&](const Plan& in_variants) {
    Plan plan = all_int8;
    for (auto& [name, op] : plan.ops) op.variant = in_variants.ops.at(name).variant;
    return builder.model(plan);
  };
  if (const double seconds = context.measurer.evaluation_seconds(); seconds > 0)
    options.seconds = std::clamp(kShareForVariants * seconds, kLeastForVariants, options.seconds);
  const Plan written = builder.finalize(all_int8);
  return measure_kernel_variants(context.task, context.config,
                                 {.plan = written,
                                  .statistics = statistics,
                                  .sample = speed.sample(),
                                  .cache = {context.options.kernel_variant_cache, context.task.cpu},
                                  .options = options},
                                 context.observer);
}

}  // namespace

Baseline measure_baseline(const TuningContext& context) {
  StudyCache& cache = context.session.cache();
  Baseline baseline;
  baseline.was_evaluated = context.session.record().baseline().has_value();
  if (const auto known = cache.baseline()) {
    baseline.measured = *known;
    baseline.goal = make_goal(context.config, context.evaluator, known->accuracy);
    restore_evaluator(context);
    return baseline;
  }
  baseline.measured = context.measurer.baseline(context.observer);
  baseline.was_evaluated = true;
  cache.store_baseline(baseline.measured, context.evaluator.notes());
  baseline.goal = make_goal(context.config, context.evaluator, baseline.measured.accuracy);
  return baseline;
}

PlanChoices choices_in(const QuantizationTask& task, const PrecisionChoice& precision) {
  const bool keeps_precision = precision.inference_precision == task.choices.inference_precision;
  return keeps_precision ? task.choices : in_f32(task.choices);
}

KernelVariantChoice choose_kernel_variants(const TuningContext& context, CandidateBuilder& builder,
                                           const PlanChoices& choices, const Statistics& statistics) {
  StudyCache& cache = context.session.cache();
  if (const auto known = cache.kernel_variants()) return *known;
  KernelVariantChoice measured = measure_variants(context, builder, choices, statistics);
  cache.store_kernel_variants(measured);
  return measured;
}

SearchSpace build_search_space(const TuningContext& context, CandidateBuilder& builder, const Statistics& statistics,
                               const SpeedChoices& measured) {
  const QuantizationTask& task = context.task;
  PlanChoices choices =
      apply_kernel_variants(choices_in(task, measured.precision), context.config, measured.variants, context.observer);
  const Edits& edits = builder.edits(first_plan(choices));
  std::map<std::string, double> noise = expected_noise(task.model, edits, statistics);
  // Ops whose kernels can saturate come first.
  if (task.cpu.needs_half_range())
    for (const std::string& op : saturating_ops(task.model, edits, statistics)) noise[op] += 1;
  SearchSpace space = build_search_space(std::move(choices), measured.variants, std::move(noise));
  space.unquantized_speedup = measured.precision.unquantized_speedup;
  space.estimators = Lazy<std::map<std::string, Algorithm>>([&task, choices = PlanChoices(space), &statistics] {
    return least_error_estimators(task.model, choices, statistics);
  });
  return space;
}

}  // namespace lpot
