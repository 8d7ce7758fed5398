#include "lpot/quantize/graph/bias.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/quantize/graph/activation_range.h"
#include "lpot/quantize/graph/op_index.h"

namespace lpot {
namespace {

namespace op = ov::opset8;

// True if the constant has one value, or one value per channel along the kernel's channel dimension.
bool is_per_channel(const ov::Shape& constant, const ov::Node& kernel) {
  const auto rank = static_cast<std::size_t>(kernel.get_output_partial_shape(0).rank().get_length());
  if (constant.size() > rank) return false;
  if (ov::shape_size(constant) == 1) return true;
  const std::size_t channels = output_channels(kernel), from_end = ov::is_type<op::MatMul>(&kernel) ? 1 : rank - 1;
  return ov::shape_size(constant) == channels && constant.size() >= from_end &&
         constant[constant.size() - from_end] == channels;
}

}  // namespace

std::size_t output_channels(const ov::Node& kernel) {
  const ov::Shape& weights = kernel.get_input_shape(1);
  if (ov::is_type<op::GroupConvolution>(&kernel)) return weights[0] * weights[1];
  if (ov::is_type<op::Convolution>(&kernel)) return weights[0];
  if (const auto product = ov::as_type<const op::MatMul>(&kernel)) return weights[product->get_transpose_b() ? 0 : 1];
  return weights[1];
}

std::vector<float> BiasAddition::values(std::size_t channels) const {
  std::vector<float> values = constant->cast_vector<float>();
  if (values.size() == 1) values.assign(channels, values[0]);
  return values;
}

std::optional<BiasAddition> find_bias(const ov::Node& kernel) {
  const auto readers = kernel.output(0).get_target_inputs();
  if (readers.size() != 1 || kernel.get_output_partial_shape(0).rank().is_dynamic()) return std::nullopt;
  const auto addition = readers.begin()->get_node()->shared_from_this();
  if (!ov::is_type<op::Add>(addition) || addition->get_output_element_type(0) != ov::element::f32) return std::nullopt;
  const std::size_t side = 1 - readers.begin()->get_index();
  const auto constant = ov::as_type_ptr<op::Constant>(addition->get_input_node_shared_ptr(side));
  if (!constant || !is_per_channel(constant->get_shape(), kernel)) return std::nullopt;
  return BiasAddition{addition, constant, side};
}

std::vector<float> IntegerBias::values() const {
  std::vector<float> values;
  for (std::size_t i = 0; i < integers.size(); ++i) values.push_back(static_cast<float>(integers[i]) * scales[i]);
  return values;
}

std::optional<IntegerBias> integer_bias(const std::vector<float>& bias, const OpEdit& edit) {
  if (edit.activation.empty()) return std::nullopt;
  // Half of the int32 range, because the kernel adds the products to it.
  constexpr double kMaxLevel = 0.5 * std::numeric_limits<std::int32_t>::max();
  const float activation_scale = Quantization(edit.levels).scale;
  const std::vector<float>& weight_scales = edit.weights.scales;
  IntegerBias result;
  for (std::size_t i = 0; i < bias.size(); ++i) {
    const float scale = activation_scale * weight_scales[weight_scales.size() == 1 ? 0 : i];
    const double level = std::nearbyint(static_cast<double>(bias[i]) / static_cast<double>(scale));
    if (!(std::fabs(level) < kMaxLevel)) return std::nullopt;
    result.integers.push_back(static_cast<std::int32_t>(level));
    result.scales.push_back(scale);
  }
  return result;
}

std::vector<float> rounded_bias(const std::vector<float>& bias, const OpEdit& edit) {
  const auto integers = integer_bias(bias, edit);
  return integers ? integers->values() : bias;
}

void mark_needed_biases(const Model& source, Edits& edits) {
  const OpIndex ops(*source.graph, "quantize");
  for (OpEdit& edit : edits.ops) {
    const auto& kernel = ops.find(edit.op, edit.type);
    if (edit.activation.empty() || ov::is_type<op::MatMul>(kernel)) continue;
    const auto bias = find_bias(*kernel);
    edit.needs_bias = (bias ? bias->node : kernel)->output(0).get_target_inputs().size() > 1;
  }
}

std::vector<float> complete_bias(std::vector<float> bias, const ov::Node& kernel, const OpEdit& edit) {
  if (!edit.needs_bias) return bias;
  const std::vector<float> rounded = rounded_bias(bias, edit);
  if (std::any_of(rounded.begin(), rounded.end(), [](float value) { return value != 0; })) return bias;
  bias.assign(output_channels(kernel), 0.0f);
  bias[0] = Quantization(edit.levels).scale * edit.weights.scales[0];
  return bias;
}

}  // namespace lpot
