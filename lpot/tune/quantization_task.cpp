#include "lpot/tune/quantization_task.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/model/half_precision.h"
#include "lpot/quantize/graph/products.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/graph/quantized_ops.h"
#include "lpot/quantize/recipes/run_time_groups.h"
#include "lpot/quantize/recipes/table.h"
#include "lpot/quantize/weights_only.h"
#include "lpot/runtime/precision.h"
#include "lpot/tune/data_warnings.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

void log_warnings(const std::vector<std::string>& warnings, const Observer& observer) {
  for (const std::string& warning : warnings) observer.log(LogLevel::Warning, warning);
}

// A configuration that allows fp32 for all ops, but not bf16, means f32.
bool names_only_f32(const TensorRestriction& restriction) {
  const auto has = [&](Precision precision) {
    return std::find(restriction.precisions.begin(), restriction.precisions.end(), precision) !=
           restriction.precisions.end();
  };
  return has(Precision::Fp32) && !has(Precision::Bf16);
}

InferencePrecision inference_precision(const QuantizationConfig& config) {
  if (config.precision) {
    check_precision(*config.precision, "quantization.precision");
    return *config.precision;
  }
  if (names_only_f32(config.model_wise.activation) || names_only_f32(config.model_wise.weight))
    return InferencePrecision::F32;
  return default_precision();
}

WithWarnings<PlanChoices> choices_for(const Model& model, const std::vector<QuantizableOp>& ops,
                                      const QuantizationConfig& config, const Cpu& cpu, bool half_range) {
  auto allowed = allowed_choices(ops, config, recipe_declarations_for(model), half_range, inference_precision(config));
  const auto groups = static_cast<std::int64_t>(run_time_groups(cpu));
  if (config.approach == Approach::DynamicQuantization && groups > 0)
    allowed.value.recipes.front().set(kRunTimeGroups, groups);
  return allowed;
}

// Throws ModelError if no op can be quantized. Logs a warning if a part of the model is quantized already.
void check_quantizable(const std::filesystem::path& path, const Model& model, const std::vector<QuantizableOp>& ops,
                       const Observer& observer) {
  const QuantizedOps quantized = quantized_ops(model);
  const auto products = std::count_if(ops.begin(), ops.end(), [](const QuantizableOp& op) { return op.is_product(); });
  const std::size_t quantizable = ops.size() - static_cast<std::size_t>(products);
  if (const std::string error = quantizable == 0 ? single_precision_error(*model.graph) : ""; !error.empty())
    throw ModelError("quantize", fmt::format("{}: the model computes in 16-bit floats and cannot be converted to f32, "
                                             "which quantization needs: {}. Pass the f32 model",
                                             path.string(), error));
  if (quantizable == 0 && quantized.ops.empty()) {
    const std::string unsupported = unsupported_products(model);
    throw ModelError("quantize",
                     fmt::format("{}: nothing to quantize: found {}; expected convolutions, recurrent sequences or "
                                 "products of a tensor and a constant matrix (MatMul, Gemm){}",
                                 path.string(), unsupported.empty() ? "no op with constant weights" : unsupported,
                                 unsupported.empty() ? "" : ". Export the products in this form"));
  }
  if (quantizable == 0)
    throw ModelError(
        "quantize", fmt::format("{}: the model is quantized already: {}; expected a model with float weights. Pass the "
                                "fp32 model that it was made from. 'lpot bench' and 'lpot evaluate' accept this model",
                                path.string(), describe(quantized)));
  if (!quantized.ops.empty())
    observer.log(LogLevel::Warning,
                 fmt::format("{}: a part of the model is quantized already: {}. lpot leaves this part as it is and "
                             "quantizes {} other op{}. Pass the fp32 model to quantize all ops",
                             path.string(), describe(quantized), quantizable, quantizable == 1 ? "" : "s"));
}

}  // namespace

bool is_dynamic(const Config& config) { return config.quantization.approach == Approach::DynamicQuantization; }

QuantizationTask prepare_task(const Config& config, const std::filesystem::path& path, const UserComponents& user,
                              const Observer& observer) {
  const Cpu cpu = detect_cpu();
  Model model = load_configured_model(config, path);
  auto calibration = first_loader(config, model, user);
  std::vector<QuantizableOp> ops = searchable_ops(model);
  check_quantizable(path, model, ops, observer);
  const auto wanted = without_unquantizable_keys(config.quantization, ops, named_ops(model));
  auto choices = choices_for(model, ops, wanted.value, cpu, use_half_range(config, cpu));
  for (const std::vector<std::string>& warnings :
       {config.warnings, calibration.warnings, wanted.warnings, choices.warnings})
    log_warnings(warnings, observer);
  if (!is_dynamic(config) && !user.calibration_data)
    if (const auto warning = few_classes_warning(calibration.value, config.quantization.sampling_sizes.front()))
      observer.log(LogLevel::Warning, *warning);
  if (const auto warning = skipped_warning(calibration.value, "calibration")) observer.log(LogLevel::Warning, *warning);
  if (choices.value.model_choices.empty() && choices.value.inference_precision == InferencePrecision::F32)
    throw ConfigError(
        "quantize",
        "the configuration keeps every op in fp32; at least one op must be allowed in int8 or, on a CPU with "
        "bf16 units, in bf16");
  PlanChoices full_range = choices_for(model, ops, wanted.value, cpu, false).value;
  std::string name = config.model.name.empty() ? model.source.stem().string() : config.model.name;
  return {cpu,
          std::move(name),
          std::move(model),
          std::move(ops),
          std::move(choices.value),
          std::move(full_range),
          std::move(calibration.value)};
}

std::size_t calibration_samples(const Config& config, const QuantizationTask& task) {
  return is_dynamic(config) ? 0 : std::min(config.quantization.sampling_sizes.front(), task.calibration.size());
}

}  // namespace lpot
