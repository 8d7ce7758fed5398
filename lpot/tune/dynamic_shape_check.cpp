#include "lpot/tune/dynamic_shape_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/core/large_models.h"
#include "lpot/tune/distance.h"

namespace lpot {
namespace {

// Kernels for dynamic shapes round in other places, so outputs differ by a part of the quantization error. A difference
// above this bound that is also larger than twice that error has another cause.
constexpr double kRounding = 0.02;

bool has_dynamic_shapes(const Model& model) {
  const std::vector<Port> inputs = model_inputs(model);
  return std::any_of(inputs.begin(), inputs.end(), [](const Port& port) {
    return std::any_of(port.shape.begin(), port.shape.end(), [](std::int64_t size) { return size < 0; });
  });
}

double distance_between(const std::vector<Tensor>& outputs, const std::vector<Tensor>& expected) {
  return distance({outputs}, {expected}, DistanceKind::Mean);
}

}  // namespace

std::optional<std::string> difference_warning(const ShapeOutputs& outputs) {
  const double difference = distance_between(outputs.with_dynamic, outputs.with_static);
  if (difference <= kRounding) return std::nullopt;
  const double error = distance_between(outputs.with_static, outputs.unquantized());
  if (difference <= 2 * error) return std::nullopt;
  return fmt::format(
      "the saved model computes other outputs if it is compiled with dynamic shapes (relative distance {:.2g}; the "
      "quantization error is {:.2g}): a defect of the runtime. Set static shapes before compiling "
      "(reshape), or set model.input_shapes in the configuration",
      difference, error);
}

std::optional<std::string> dynamic_shape_warning(const Model& source, const Model& quantized,
                                                 const std::vector<Tensor>& sample, const Compile& compile) {
  if (!has_dynamic_shapes(quantized) || source.size_bytes >= kLargeModel) return std::nullopt;
  try {
    return difference_warning({.with_static = compile(quantized)->infer(sample),
                               .with_dynamic = Executable(quantized).infer(sample),
                               .unquantized = [&] { return compile(source)->infer(sample); }});
  } catch (const ModelError& error) {
    return fmt::format("the saved model could not be compiled with dynamic shapes: {}", error.what());
  }
}

void warn_about_dynamic_shapes(const Model& source, const Model& quantized, const std::vector<Tensor>& sample,
                               const Compile& compile, const Observer& observer) {
  if (const auto warning = dynamic_shape_warning(source, quantized, sample, compile))
    observer.log(LogLevel::Warning, *warning);
}

}  // namespace lpot
