#include <algorithm>

#include "lpot/quantize/noise.h"
#include "lpot/quantize/saturation.h"
#include "lpot/tune/candidate_measurer.h"
#include "lpot/tune/diagnose_ops.h"
#include "lpot/tune/int8_check_stage.h"
#include "lpot/tune/kernel_variant_stage.h"
#include "lpot/tune/plan_finalizer.h"
#include "lpot/tune/plan_statistics.h"
#include "lpot/tune/tune.h"

namespace lpot {

std::vector<OpDiagnosis> diagnose(const Config& config, const TuneOptions& options, const Observer& observer) {
  const QuantizationTask prepared = prepare_task(config, options.model, options.user, observer);
  const StatisticsByPlan all = calibrate(prepared, config, {}, observer);
  const std::vector<Tensor> sample = first_sample(prepared.model, prepared.calibration);
  const QuantizationTask task = with_checked_int8(prepared, config, all, sample, compile_for(sample), observer).task;
  const Plan first = first_plan(task.choices);
  const Statistics& statistics = all.of(first);
  const Plan written = PlanFinalizer(task, config, all).finalize(first);
  const KernelVariantChoice variants = measure_kernel_variants(
      task, config,
      {.plan = written, .statistics = statistics, .sample = sample, .cache = {options.kernel_variant_cache, task.cpu}},
      observer);
  std::vector<std::string> saturating;
  if (!is_dynamic(config)) saturating = saturating_ops(task.model, first_plan(task.full_range), statistics);
  const std::map<std::string, double> noise = expected_noise(task.model, written, statistics);
  std::vector<OpDiagnosis> found =
      diagnose_ops(task, {.samples = std::min(config.quantization.sampling_sizes.front(), task.calibration.size()),
                          .statistics = statistics,
                          .noise = noise,
                          .saturating_ops = saturating,
                          .variants = variants});
  std::stable_sort(found.begin(), found.end(), [](const OpDiagnosis& a, const OpDiagnosis& b) {
    return a.noise.value_or(0) > b.noise.value_or(0);
  });
  return found;
}

}  // namespace lpot
