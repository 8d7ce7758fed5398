#include "lpot/tune/kernel_variant_stage.h"

#include <fmt/format.h>

#include "lpot/core/cpu_contention.h"
#include "lpot/core/error.h"
#include "lpot/report/table.h"

namespace lpot {
namespace {

constexpr double kQuietEnough = 0.25;  // largest CPU share of other programs at which times are cached

void log_choice(const PlanChoices& choices, const KernelVariantChoice& measured, bool drop_slower,
                const Observer& observer) {
  if (!measured.variants.empty())
    observer.log(LogLevel::Info, fmt::format("{} matrix products run as 1x1 convolutions, which is faster on this CPU",
                                             measured.variants.size()));
  if (!drop_slower) return;
  if (!measured.times.empty() && first_plan(choices).int8_count() == 0)
    observer.log(LogLevel::Warning,
                 fmt::format("int8 is slower than {0} for this model on this CPU, so the model stays in {0}; set "
                             "tuning.objective: modelsize to get a smaller int8 model",
                             to_string(unquantized(choices.inference_precision))));
  else if (!measured.slower_in_int8.empty())
    observer.log(LogLevel::Info,
                 fmt::format("{} of {} ops stay in {}, where they are faster: {}", measured.slower_in_int8.size(),
                             measured.times.size(), to_string(unquantized(choices.inference_precision)),
                             format_names(measured.slower_in_int8, "the report or deploy.yaml")));
}

KernelVariantChoice measure_and_remember(const QuantizationTask& task, const VariantMeasurement& measurement,
                                         const Observer& observer) {
  const auto signatures = op_signatures(task.model, measurement.plan, measurement.sample);
  if (auto known = measurement.cache.find(signatures)) {
    observer.log(LogLevel::Info,
                 "kernel variants: reusing the times that an earlier run measured for the same kind of ops on this "
                 "class of CPU");
    return *known;
  }
  KernelVariantOptions options = measurement.options;
  options.convolutions = task.cpu.needs_half_range();
  const CpuContention contention;
  Model unquantized = task.model;
  unquantized.precision = measurement.plan.inference_precision;
  KernelVariantChoice choice = choose_kernel_variants(unquantized, measurement.plan, measurement.statistics,
                                                      measurement.sample, options, observer);
  if (contention.share() <= kQuietEnough)
    measurement.cache.store(signatures, choice);
  else
    observer.log(LogLevel::Info, fmt::format("other programs used {:.0f}% of the CPU while kernel variants were timed, "
                                             "so the times are not cached for later runs",
                                             100 * contention.share()));
  return choice;
}

}  // namespace

KernelVariantChoice measure_kernel_variants(const QuantizationTask& task, const Config& config,
                                            const VariantMeasurement& measurement, const Observer& observer) {
  if (!config.quantization.recipes.measured_kernel_variants || is_dynamic(config)) return {};
  try {
    return measure_and_remember(task, measurement, observer);
  } catch (const ModelError& error) {
    observer.log(LogLevel::Warning, fmt::format("kernel variants could not be compared: {}", error.what()));
    return {};
  }
}

PlanChoices apply_kernel_variants(const PlanChoices& allowed, const Config& config, const KernelVariantChoice& measured,
                                  const Observer& observer) {
  const bool drop_slower = config.tuning.objective == Objective::Performance;
  PlanChoices choices = with_kernel_variants(allowed, measured, drop_slower);
  log_choice(choices, measured, drop_slower, observer);
  return choices;
}

}  // namespace lpot
