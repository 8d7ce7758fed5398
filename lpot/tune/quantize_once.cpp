#include "lpot/quantize/resolve.h"
#include "lpot/quantize/weights_only.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/report/deploy.h"
#include "lpot/tune/candidate_measurer.h"
#include "lpot/tune/dynamic_shape_check.h"
#include "lpot/tune/int8_check_stage.h"
#include "lpot/tune/kernel_variant_stage.h"
#include "lpot/tune/label_free.h"
#include "lpot/tune/plan_finalizer.h"
#include "lpot/tune/plan_statistics.h"
#include "lpot/tune/speed_check_stage.h"
#include "lpot/tune/tune.h"
#include "lpot/tune/worker.h"
#include "lpot/tune/workspace.h"

namespace lpot {
namespace fs = std::filesystem;

QuantizeResult quantize_once(const Config& config, const TuneOptions& options, const Observer& observer) {
  const auto coordinator = make_coordinator(options.transport);
  const QuantizationTask prepared = prepare_task(config, options.model, options.user, observer);
  const fs::path output = output_path(options.output, "quantized", config, prepared.model);
  if (coordinator && !is_dynamic(config))
    compare_with_workers(*coordinator, prepared.model, {.calibration = &prepared.calibration}, observer);
  const StatisticsByPlan all = calibrate(prepared, config, {.executor = make_executor(coordinator.get())}, observer);
  const std::vector<Tensor> sample = first_sample(prepared.model, prepared.calibration);
  const Compile compile = compile_for(sample);
  CheckedTask checked = with_checked_int8(prepared, config, all, sample, compile, observer);
  const QuantizationTask& task = checked.task;
  const Statistics& statistics = all.of(first_plan(task.choices));
  PlanFinalizer finalizer(task, config, all);
  const KernelVariantChoice variants = measure_kernel_variants(task, config,
                                                               {.plan = finalizer.finalize(first_plan(task.choices)),
                                                                .statistics = statistics,
                                                                .sample = sample,
                                                                .cache = {options.kernel_variant_cache, task.cpu}},
                                                               observer);
  CandidateBuilder builder(task.model, all, &finalizer);
  if (auto& first = checked.first)
    builder.put(first_plan(task.choices), std::move(first->edits), std::move(first->model));
  const PlanChoices choices = apply_kernel_variants(task.choices, config, variants, observer);
  const Plan nearest = choose_without_labels(task, choices, builder, all, observer);
  const Plan fast = finalizer.finalize(check_speed({task, config, choices, sample}, builder, nearest, observer));
  const Plan plan = without_mismatched_sequences(fast, task, builder.resolve_final(fast), sample, observer);
  const Edits edits = builder.resolve_final(plan);

  if (plan.int8_count() > 0) warn_about_dynamic_shapes(task.model, apply(task.model, edits), sample, compile, observer);
  remove_leftovers(output);
  QuantizeResult result;
  result.shapes = static_shapes(task.model, sample, task.calibration.dataset().input_naming());
  result.model_bytes =
      save_deployment(output, edits, {task.name, task.model, plan, task.cpu, options.command, result.shapes}, observer);
  if (options.on_saved) options.on_saved(task.model, plan, edits, output);
  result.model = output / "model.xml";
  result.exports = saved_exports(output);
  result.plan = plan;
  result.precision = plan.inference_precision;
  result.source_bytes = task.model.size_bytes;
  result.int8_ops = plan.int8_count();
  result.fp32_ops = plan.ops.size() - plan.int8_count();
  result.calibration_samples = calibration_samples(config, task);
  if (is_dynamic(config)) result.activations = describe_activations(plan, task.cpu);
  return result;
}

}  // namespace lpot
