#include "lpot/model/fold.h"

#include <algorithm>
#include <cmath>
#include <openvino/op/util/op_types.hpp>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <openvino/pass/constant_folding.hpp>
#include <openvino/pass/manager.hpp>
#include <optional>

#include "lpot/model/bodies.h"

namespace lpot {
namespace {

namespace op = ov::opset8;

std::vector<float> values_of(const ov::Output<ov::Node>& output) {
  const auto constant = ov::as_type_ptr<op::Constant>(output.get_node_shared_ptr());
  return constant ? constant->cast_vector<float>() : std::vector<float>();
}

// A constant with one value per channel (dimension 1) of a tensor of this rank, or one value for all.
std::shared_ptr<op::Constant> channel_constant(const std::vector<float>& values, std::size_t rank) {
  ov::Shape shape(rank, 1);
  shape[1] = values.size();
  return op::Constant::create(ov::element::f32, shape, values);
}

// Replaces a batch norm with y = x * scale + shift per channel. The addition gets the name of the batch norm.
bool replace_batch_norm(const std::shared_ptr<ov::Node>& node) {
  double epsilon = 0;
  std::size_t data = 0;
  if (const auto norm = ov::as_type_ptr<op::BatchNormInference>(node)) {
    epsilon = norm->get_eps_value();
  } else if (const auto old_norm = ov::as_type_ptr<ov::op::v0::BatchNormInference>(node)) {
    epsilon = old_norm->get_eps_value();
    data = 2;  // in this version, gamma and beta are the first inputs
  } else {
    return false;
  }
  const std::size_t first = data == 0 ? 1 : 0;
  const std::vector<float> gamma = values_of(node->input_value(first));
  const std::vector<float> beta = values_of(node->input_value(first + 1));
  const std::vector<float> mean = values_of(node->input_value(3));
  const std::vector<float> variance = values_of(node->input_value(4));
  const ov::Rank rank = node->get_input_partial_shape(data).rank();
  if (node->get_output_element_type(0) != ov::element::f32) return false;
  if (gamma.empty() || beta.empty() || mean.empty() || variance.empty() || rank.is_dynamic() || rank.get_length() < 2)
    return false;

  std::vector<float> scale(gamma.size()), shift(gamma.size());
  for (std::size_t i = 0; i < gamma.size(); ++i) {
    const double factor = static_cast<double>(gamma[i]) / std::sqrt(static_cast<double>(variance[i]) + epsilon);
    scale[i] = static_cast<float>(factor);
    shift[i] = static_cast<float>(static_cast<double>(beta[i]) - static_cast<double>(mean[i]) * factor);
  }
  const auto dimensions = static_cast<std::size_t>(rank.get_length());
  const auto multiply = std::make_shared<op::Multiply>(node->input_value(data), channel_constant(scale, dimensions));
  const auto add = std::make_shared<op::Add>(multiply, channel_constant(shift, dimensions));
  multiply->set_friendly_name(node->get_friendly_name() + "/scale");
  add->set_friendly_name(node->get_friendly_name());
  ov::copy_runtime_info(node, {multiply, add});
  ov::replace_node(node, add);
  return true;
}

// The axes of the output channels in the op's output and in its weights.
struct ChannelAxes {
  std::size_t output = 1;
  std::vector<std::size_t> weights;
};

std::optional<ChannelAxes> channel_axes(const ov::Node& node) {
  if (ov::is_type<op::Convolution>(&node)) return ChannelAxes{1, {0}};
  if (ov::is_type<op::GroupConvolution>(&node)) return ChannelAxes{1, {0, 1}};
  if (ov::is_type<op::ConvolutionBackpropData>(&node)) return ChannelAxes{1, {1}};
  if (ov::is_type<op::GroupConvolutionBackpropData>(&node)) return ChannelAxes{1, {0, 2}};
  if (const auto product = ov::as_type<const op::MatMul>(&node)) {
    const ov::PartialShape& weights = node.get_input_partial_shape(1);
    const ov::Rank rank = node.get_output_partial_shape(0).rank();
    if (rank.is_dynamic() || weights.rank().is_dynamic() || weights.rank().get_length() != 2) return std::nullopt;
    return ChannelAxes{static_cast<std::size_t>(rank.get_length()) - 1, {product->get_transpose_b() ? 0u : 1u}};
  }
  return std::nullopt;
}

// One value per channel of a constant that varies only along `axis` of a tensor of this rank. A single value is
// repeated for all channels.
std::optional<std::vector<float>> along_axis(const ov::Output<ov::Node>& output, std::size_t axis, std::size_t rank,
                                             std::size_t channels) {
  const auto constant = ov::as_type_ptr<op::Constant>(output.get_node_shared_ptr());
  if (!constant || constant->get_element_type() != ov::element::f32) return std::nullopt;
  const ov::Shape& shape = constant->get_shape();
  std::vector<float> values = constant->cast_vector<float>();
  if (values.size() == 1) return std::vector<float>(channels, values[0]);
  if (values.size() != channels || shape.size() > rank) return std::nullopt;
  const std::size_t offset = rank - shape.size();  // broadcasting aligns the last dimensions
  if (axis < offset || shape[axis - offset] != channels) return std::nullopt;
  return values;
}

bool has_one_consumer(const ov::Output<ov::Node>& output) { return output.get_target_inputs().size() == 1; }

// The indices of the constant operand of a binary op and of the other operand.
std::optional<std::pair<std::size_t, std::size_t>> constant_operand(const ov::Node& node) {
  for (const std::size_t side : {1u, 0u})
    if (ov::is_type<op::Constant>(node.get_input_node_ptr(side)))
      return std::pair<std::size_t, std::size_t>{side, 1 - side};
  return std::nullopt;
}

// Whether the tensor is the output of a kernel, or differs from it only by additions and multiplications of constants.
bool follows_kernel(ov::Output<ov::Node> tensor) {
  while (has_one_consumer(tensor)) {
    const ov::Node& node = *tensor.get_node();
    if (channel_axes(node)) return true;
    const auto operands =
        ov::is_type<op::Add>(&node) || ov::is_type<op::Multiply>(&node) ? constant_operand(node) : std::nullopt;
    if (!operands) return false;
    tensor = node.input_value(operands->second);
  }
  return false;
}

// TensorFlow writes batch norm as (x - mean) / deviation * gamma + beta. The subtraction becomes an addition and the
// division a multiplication, so that the functions below can fold them.
bool replace_subtract_or_divide(const std::shared_ptr<ov::Node>& node) {
  const bool subtracts = ov::is_type<op::Subtract>(node);
  if (!subtracts && !ov::is_type<op::Divide>(node)) return false;
  const auto constant = ov::as_type_ptr<op::Constant>(node->get_input_node_shared_ptr(1));
  if (!constant || constant->get_element_type() != ov::element::f32 || !follows_kernel(node->input_value(0)))
    return false;
  std::vector<float> values = constant->cast_vector<float>();
  if (!subtracts && std::find(values.begin(), values.end(), 0.0f) != values.end()) return false;
  for (float& value : values) value = subtracts ? -value : 1.0f / value;
  const auto opposite = op::Constant::create(ov::element::f32, constant->get_shape(), values);
  std::shared_ptr<ov::Node> replacement;
  if (subtracts) {
    replacement = std::make_shared<op::Add>(node->input_value(0), opposite);
  } else {
    replacement = std::make_shared<op::Multiply>(node->input_value(0), opposite);
  }
  replacement->set_friendly_name(node->get_friendly_name());
  ov::replace_node(node, replacement);
  return true;
}

std::shared_ptr<op::Constant> scaled_weights(const op::Constant& weights, const ChannelAxes& axes,
                                             const std::vector<float>& scale) {
  const ov::Shape& shape = weights.get_shape();
  std::vector<float> values = weights.cast_vector<float>();
  std::vector<std::size_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * shape[i];
  for (std::size_t flat = 0; flat < values.size(); ++flat) {
    std::size_t channel = 0;
    for (const std::size_t axis : axes.weights) channel = channel * shape[axis] + flat / strides[axis] % shape[axis];
    values[flat] *= scale[channel];
  }
  const auto result = op::Constant::create(ov::element::f32, shape, values);
  result->set_friendly_name(weights.get_friendly_name());
  return result;
}

// Replaces Multiply(kernel [+ bias], scale) with a kernel of scaled weights [+ scaled bias].
bool fold_multiply(const std::shared_ptr<ov::Node>& multiply) {
  if (!ov::is_type<op::Multiply>(multiply)) return false;
  const auto operands = constant_operand(*multiply);
  if (!operands || !has_one_consumer(multiply->input_value(operands->second))) return false;

  std::shared_ptr<ov::Node> bias;
  std::shared_ptr<ov::Node> kernel = multiply->get_input_node_shared_ptr(operands->second);
  std::pair<std::size_t, std::size_t> bias_operands{1, 0};
  if (ov::is_type<op::Add>(kernel)) {
    const auto found = constant_operand(*kernel);
    if (!found || !has_one_consumer(kernel->input_value(found->second))) return false;
    bias = kernel;
    bias_operands = *found;
    kernel = bias->get_input_node_shared_ptr(found->second);
  }
  const auto axes = channel_axes(*kernel);
  const auto weights = axes ? ov::as_type_ptr<op::Constant>(kernel->get_input_node_shared_ptr(1)) : nullptr;
  if (!weights || weights->get_element_type() != ov::element::f32 ||
      kernel->get_output_partial_shape(0).rank().is_dynamic())
    return false;
  const auto rank = static_cast<std::size_t>(kernel->get_output_partial_shape(0).rank().get_length());
  if (multiply->get_output_partial_shape(0).rank() != kernel->get_output_partial_shape(0).rank()) return false;
  std::size_t channels = 1;
  for (const std::size_t axis : axes->weights) channels *= weights->get_shape()[axis];

  const auto scale = along_axis(multiply->input_value(operands->first), axes->output, rank, channels);
  if (!scale) return false;
  std::optional<std::vector<float>> shift;
  if (bias) {
    shift = along_axis(bias->input_value(bias_operands.first), axes->output, rank, channels);
    if (!shift) return false;
    for (std::size_t i = 0; i < channels; ++i) (*shift)[i] *= (*scale)[i];
  }

  kernel->input(1).replace_source_output(scaled_weights(*weights, *axes, *scale));
  std::shared_ptr<ov::Node> last = kernel;
  if (bias) {
    ov::Shape shape(rank, 1);
    shape[axes->output] = channels;
    bias->input(bias_operands.first).replace_source_output(op::Constant::create(ov::element::f32, shape, *shift));
    last = bias;
  }
  // The tensor names of the multiplication are dropped; the kernel keeps its names.
  multiply->output(0).replace(last->output(0));
  return true;
}

// Whether the constant has one value, or one per output channel of the kernel.
bool is_bias_of(const ov::Node& kernel, const ChannelAxes& axes, const ov::Output<ov::Node>& constant) {
  const ov::PartialShape &weights = kernel.get_input_partial_shape(1), &output = kernel.get_output_partial_shape(0);
  if (weights.is_dynamic() || output.rank().is_dynamic()) return false;
  std::size_t channels = 1;
  for (const std::size_t axis : axes.weights) channels *= weights.get_shape()[axis];
  return along_axis(constant, axes.output, static_cast<std::size_t>(output.rank().get_length()), channels).has_value();
}

// Replaces Add(Add(x, a), b) with Add(x, a + b) for constants a and b. The result has the name of the outer Add.
// A bias stays alone if the sum would not be a bias (a position embedding), because int8 kernels only add biases.
bool fold_add(const std::shared_ptr<ov::Node>& outer) {
  if (!ov::is_type<op::Add>(outer)) return false;
  const auto outer_operands = constant_operand(*outer);
  if (!outer_operands || !has_one_consumer(outer->input_value(outer_operands->second))) return false;
  const auto inner = outer->get_input_node_shared_ptr(outer_operands->second);
  if (!ov::is_type<op::Add>(inner) || inner->get_output_partial_shape(0).rank().is_dynamic()) return false;
  const auto inner_operands = constant_operand(*inner);
  if (!inner_operands) return false;
  const ov::Node& kernel = *inner->get_input_node_ptr(inner_operands->second);
  const auto axes = channel_axes(kernel);
  const auto inner_constant = inner->input_value(inner_operands->first);
  const auto outer_constant = outer->input_value(outer_operands->first);
  if (!axes || (is_bias_of(kernel, *axes, inner_constant) && !is_bias_of(kernel, *axes, outer_constant))) return false;
  const auto sum = std::make_shared<op::Add>(inner_constant, outer_constant);
  ov::OutputVector folded(1);
  if (!sum->constant_fold(folded, sum->input_values())) return false;
  outer->input(outer_operands->first).replace_source_output(folded[0]);
  outer->input(outer_operands->second).replace_source_output(inner->input_value(inner_operands->second));
  return true;
}

// Quantized constants are integers followed by a Convert, or floats followed by a FakeQuantize. Folding them would turn
// the weights back into floats, and the int8 kernels into fp32 kernels.
bool belongs_to_quantization(const ov::Node& node) {
  if (ov::is_type<op::FakeQuantize>(&node)) return true;
  return ov::is_type<op::Convert>(&node) && node.get_input_element_type(0).is_integral_number() &&
         node.get_input_element_type(0).bitwidth() <= 8 && node.get_output_element_type(0).is_real();
}

// Compressed f16 weights are marked so that no pass converts them to f32. Quantization needs them in f32.
void widen_half_constants(const std::shared_ptr<ov::Model>& graph) {
  for (const auto& node : all_ops(*graph)) {
    if (!ov::is_type<op::Convert>(node) || node->get_output_element_type(0) != ov::element::f32) continue;
    const auto half = ov::as_type_ptr<op::Constant>(node->get_input_node_shared_ptr(0));
    if (!half || (half->get_element_type() != ov::element::f16 && half->get_element_type() != ov::element::bf16))
      continue;
    const auto whole = op::Constant::create(ov::element::f32, half->get_shape(), half->cast_vector<float>());
    whole->set_friendly_name(half->get_friendly_name());
    node->output(0).replace(whole->output(0));
  }
}

// The nodes of quantized constants that may be folded.
ov::NodeVector foldable_quantization(const ov::Model& graph) {
  ov::NodeVector found;
  for (const auto& node : all_ops(graph))
    if (belongs_to_quantization(*node) && !ov::pass::constant_folding_is_disabled(node)) found.push_back(node);
  return found;
}

void fold_constants(const std::shared_ptr<ov::Model>& graph) {
  const ov::NodeVector excluded = foldable_quantization(*graph);
  for (const auto& node : excluded) ov::pass::disable_constant_folding(node);
  ov::pass::Manager manager;
  manager.register_pass<ov::pass::ConstantFolding>();
  manager.run_passes(graph);
  for (const auto& node : excluded) ov::pass::enable_constant_folding(node);
}

// Visits the ops in topological order and releases each op after its visit, so that replaced ops are destroyed and no
// longer count as consumers.
bool visit(const std::shared_ptr<ov::Model>& graph, bool (*change)(const std::shared_ptr<ov::Node>&)) {
  bool changed = false;
  auto nodes = all_ops(*graph);
  for (auto& node : nodes) {
    changed |= change(node);
    node.reset();
  }
  return changed;
}

}  // namespace

void fold_constants_and_batch_norm(const std::shared_ptr<ov::Model>& graph) {
  widen_half_constants(graph);
  fold_constants(graph);
  bool changed = false;
  for (const auto change : {replace_batch_norm, replace_subtract_or_divide}) changed |= visit(graph, change);
  // Repeated for chains such as bias, mean, deviation, scale and shift, because each step enables the next.
  for (bool again = true; again; changed |= again) {
    again = visit(graph, fold_add);
    again |= visit(graph, fold_multiply);
  }
  if (changed) graph->validate_nodes_and_infer_types();
}

}  // namespace lpot
