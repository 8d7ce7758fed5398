#include "lpot/quantize/graph/sequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <set>

#include "lpot/core/error.h"
#include "lpot/model/bodies.h"
#include "lpot/quantize/graph/activation_range.h"
#include "lpot/quantize/graph/placement.h"
#include "lpot/quantize/graph/sequence_kernel.h"

namespace lpot {
namespace {

namespace op = ov::opset8;
using Output = ov::Output<ov::Node>;

bool is_float_constant(const Output& tensor) {
  return ov::is_type<op::Constant>(tensor.get_node()) && tensor.get_element_type() == ov::element::f32;
}

std::vector<float> values_of(const Output& constant) {
  return ov::as_type<const op::Constant>(constant.get_node())->cast_vector<float>();
}

// Activation functions and clipping of the cell, which the int8 kernel and the loop do not know.
template <typename Sequence>
bool is_usual_cell(const Sequence& node, const std::vector<std::string>& functions) {
  return node.get_activations() == functions && node.get_activations_alpha().empty() &&
         node.get_activations_beta().empty() && node.get_clip() == 0.0f;
}

std::optional<SequenceForm> form_of(const ov::Node& node) {
  if (const auto lstm = ov::as_type<const op::LSTMSequence>(&node))
    return is_usual_cell(*lstm, {"sigmoid", "tanh", "tanh"}) ? std::optional(SequenceForm::Kernel) : std::nullopt;
  if (const auto gru = ov::as_type<const op::GRUSequence>(&node))
    if (is_usual_cell(*gru, {"sigmoid", "tanh"}))
      return gru->get_linear_before_reset() ? SequenceForm::Loop : SequenceForm::Kernel;
  return std::nullopt;
}

// The single value of a constant; nothing for other tensors.
std::optional<std::int64_t> index_in(const Output& tensor) {
  const auto constant = ov::as_type<const op::Constant>(tensor.get_node());
  if (!constant || ov::shape_size(constant->get_shape()) != 1) return std::nullopt;
  return constant->cast_vector<std::int64_t>().front();
}

// Whether the lengths are the number of steps of X. Front ends write this as a constant or compute it from X's shape.
bool reads_all_steps(const ov::Node& node) {
  static const std::set<std::string> kSameValues{"Broadcast", "Convert", "Reshape", "Squeeze", "Unsqueeze"};
  const Output x = node.input_value(0);
  Output lengths = node.input_value(sequence_inputs(node).lengths);
  while (kSameValues.contains(lengths.get_node()->get_type_name())) lengths = lengths.get_node()->input_value(0);
  if (const auto constant = ov::as_type<const op::Constant>(lengths.get_node())) {
    const ov::Dimension steps = x.get_partial_shape()[1];
    const auto values = constant->cast_vector<std::int64_t>();
    return steps.is_static() &&
           std::all_of(values.begin(), values.end(), [&](std::int64_t value) { return value >= steps.get_length(); });
  }
  const ov::Node* gather = lengths.get_node();
  if (std::string_view(gather->get_type_name()) != "Gather") return false;
  const ov::Node* shape = gather->get_input_node_ptr(0);
  if (ov::is_type<op::Convert>(shape)) shape = shape->get_input_node_ptr(0);
  const auto index = index_in(gather->input_value(1));
  return std::string_view(shape->get_type_name()) == "ShapeOf" && shape->input_value(0) == x && index &&
         (*index == 1 || *index == -2);
}

bool is_quantizable_sequence(const ov::Node& node) {
  if (!form_of(node)) return false;
  const SequenceInputs inputs = sequence_inputs(node);
  const ov::PartialShape& x = node.get_input_partial_shape(0);
  return x.rank().is_static() && x[2].is_static() && node.get_input_element_type(0) == ov::element::f32 &&
         !ov::is_type<op::Constant>(node.get_input_node_ptr(0)) &&
         is_float_constant(node.input_value(inputs.weights)) &&
         is_float_constant(node.input_value(inputs.state_weights)) &&
         is_float_constant(node.input_value(inputs.bias)) && reads_all_steps(node);
}

QuantizableOp describe_sequence(const ov::Node& node) {
  const ov::Shape& shape = node.get_input_shape(sequence_inputs(node).weights);
  return {.name = op_name(node),
          .type = node.get_type_name(),
          .activation = tensor_name(node.input_value(0)),
          .weight_axes = {0, 1},
          .input_axes = {2},
          .weight_shape = Shape(shape.begin(), shape.end()),
          .second = tensor_name(node, 0),
          .sequence = form_of(node)};
}

// Calls `use(node)` for every quantizable sequence, in topological order.
template <typename Use>
void for_each_sequence(const Model& model, Use&& use) {
  for (const auto& node : all_ops(*model.graph))
    if (is_quantizable_sequence(*node) && may_be_quantized(node->input(0))) use(*node);
}

const TensorStatistics& observed_in(const Statistics& statistics, const std::string& op, const std::string& tensor) {
  const auto found = statistics.find(tensor);
  if (found == statistics.end())
    throw DataError("quantize",
                    fmt::format("op '{}': its tensor '{}' has no statistics. Calibrate first.", op, tensor));
  return found->second;
}

Range observed_range(const TensorStatistics& tensor) {
  return {std::min(tensor.min(), 0.0f), std::max(tensor.max(), 0.0f)};
}

// The range of H before the first step and after every step.
Range state_range(const ov::Node& node, const Statistics& statistics) {
  Range range = observed_range(observed_in(statistics, op_name(node), tensor_name(node, 0)));
  const Output initial = node.input_value(1);
  if (ov::is_type<op::Constant>(initial.get_node())) {
    for (const float value : values_of(initial)) range = join(range, {value, value});
  } else if (depends_on_inputs(initial)) {
    range = join(range, observed_range(observed_in(statistics, op_name(node), tensor_name(initial))));
  }
  return range;
}

QuantizedWeights quantize_input(const ov::Node& node, std::size_t input, const TensorScheme& scheme) {
  const ov::Shape& shape = node.get_input_shape(input);
  return quantize_weights(values_of(node.input_value(input)), Shape(shape.begin(), shape.end()), {0, 1}, scheme);
}

const TensorStatistics& statistics_of_input(const ov::Node& node, const Statistics& statistics) {
  return observed_in(statistics, op_name(node), tensor_name(node.input_value(0)));
}

Range input_range(const ov::Node& node, const OpPlan& plan, const Statistics& statistics) {
  return find_range(statistics_of_input(node, statistics), plan.activation.algorithm,
                    {.symmetry = plan.activation.symmetry});
}

SequenceEdit edit_loop(const ov::Node& node, const OpPlan& plan, const Statistics& statistics) {
  const SequenceInputs inputs = sequence_inputs(node);
  SequenceEdit edit;
  edit.op = op_name(node);
  edit.type = node.get_type_name();
  edit.form = SequenceForm::Loop;
  edit.input_levels = activation_levels(input_range(node, plan, statistics), plan.activation.symmetry);
  edit.state_levels = sequence_levels(state_range(node, statistics), plan.activation.symmetry);
  edit.input_weights = quantize_input(node, inputs.weights, plan.weight);
  edit.state_weights = quantize_input(node, inputs.state_weights, plan.weight);
  return edit;
}

SequenceNumbers numbers_of(const ov::Node& node, const OpPlan& plan, const Statistics& statistics) {
  const SequenceInputs inputs = sequence_inputs(node);
  return {
      .node = &node,
      .w = GateWeights(values_of(node.input_value(inputs.weights)), node.get_input_shape(inputs.weights)[2],
                       statistics_of_input(node, statistics)),
      .r = GateWeights(values_of(node.input_value(inputs.state_weights)), node.get_input_shape(inputs.state_weights)[2],
                       observed_in(statistics, op_name(node), tensor_name(node, 0))),
      .x = input_range(node, plan, statistics),
      .h = state_range(node, statistics)};
}

// Inputs are added in this number, because the integer kernels add four products at once.
constexpr std::size_t kZeroInputs = 4;

// Sequences for which this is equal would share a kernel.
std::string kernel_size(const ov::Node& node, std::size_t zero_inputs) {
  const SequenceInputs inputs = sequence_inputs(node);
  return fmt::format("{} {} {}", node.get_type_name(), node.get_input_shape(inputs.weights)[2] + zero_inputs,
                     node.get_input_shape(inputs.state_weights)[2]);
}

}  // namespace

SequenceInputs sequence_inputs(const ov::Node& node) {
  if (ov::is_type<op::LSTMSequence>(&node)) return {3, 4, 5, 6, true};
  return {2, 3, 4, 5, false};
}

std::vector<QuantizableOp> recurrent_sequences(const Model& model) {
  std::vector<QuantizableOp> sequences;
  for_each_sequence(model, [&](const ov::Node& node) { sequences.push_back(describe_sequence(node)); });
  return sequences;
}

std::vector<ObservationPoint> sequence_points(const Model& model) {
  std::vector<ObservationPoint> points;
  for_each_sequence(model, [&](const ov::Node& node) {
    points.push_back({tensor_name(node.input_value(0)), -1});
    points.push_back({tensor_name(node, 0), -1});
    if (depends_on_inputs(node.input_value(1))) points.push_back({tensor_name(node.input_value(1)), -1});
  });
  return points;
}

std::vector<SequenceEdit> sequence_edits(const Model& model, const Plan& plan, const Statistics& statistics) {
  std::vector<SequenceEdit> edits;
  std::set<std::string> sizes;  // of int8 kernels
  for_each_sequence(model, [&](const ov::Node& node) {
    const auto found = plan.ops.find(op_name(node));
    if (found == plan.ops.end() || !found->second.is_int8()) return;
    if (*form_of(node) == SequenceForm::Loop) {
      edits.push_back(edit_loop(node, found->second, statistics));
      return;
    }
    SequenceEdit edit = kernel_edit(numbers_of(node, found->second, statistics), found->second);
    while (!sizes.insert(kernel_size(node, edit.zero_inputs)).second) edit.zero_inputs += kZeroInputs;
    edits.push_back(std::move(edit));
  });
  return edits;
}

bool depends_on_inputs(const Output& tensor) {
  std::vector<const ov::Node*> open{tensor.get_node()};
  std::set<const ov::Node*> seen;
  while (!open.empty()) {
    const ov::Node* node = open.back();
    open.pop_back();
    const std::string_view type = node->get_type_name();
    if (type == "Parameter" || type == "ReadValue") return true;
    if (type == "ShapeOf" || !seen.insert(node).second) continue;
    for (std::size_t i = 0; i < node->get_input_size(); ++i) open.push_back(node->get_input_node_ptr(i));
  }
  return false;
}

}  // namespace lpot
