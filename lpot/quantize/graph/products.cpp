#include "lpot/quantize/graph/products.h"

#include "lpot/model/bodies.h"
#include "lpot/quantize/graph/placement.h"
#include "lpot/quantize/graph/sequences.h"

#include <algorithm>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <set>

namespace lpot {
namespace {

namespace op = ov::opset8;
using Output = ov::Output<ov::Node>;

// Skips ops that only change the shape or order of the values.
Output source_of(Output tensor) {
  static const std::set<std::string> kSameNumbers{"Reshape", "Transpose", "Squeeze", "Unsqueeze"};
  while (kSameNumbers.contains(tensor.get_node()->get_type_name())) tensor = tensor.get_node()->input_value(0);
  return tensor;
}

bool is_product(const ov::Node& node) {
  if (!ov::is_type<op::MatMul>(&node) || node.get_output_element_type(0) != ov::element::f32) return false;
  if (!may_be_int8_product(node)) return false;
  for (const auto& input : node.inputs()) {
    const ov::Rank rank = input.get_partial_shape().rank();
    if (rank.is_dynamic() || rank.get_length() < 3 || input.get_element_type() != ov::element::f32) return false;
    const ov::Node* source = source_of(input.get_source_output()).get_node();
    if (std::string_view(source->get_type_name()) == "Softmax") return false;
    // Quantized weights are a multiplication of converted integers by their scales.
    const bool is_constant =
        ov::is_type<op::Constant>(source) || ov::is_type<op::FakeQuantize>(source) ||
        (ov::is_type<op::Multiply>(source) && ov::is_type<op::Convert>(source->get_input_node_ptr(0)));
    if (is_constant) return false;
  }
  return true;
}

}  // namespace

std::vector<QuantizableOp> activation_products(const Model& model) {
  std::vector<QuantizableOp> products;
  for (const auto& node : all_ops(*model.graph))
    if (is_product(*node))
      products.push_back({.name = op_name(*node),
                          .type = "MatMul",
                          .activation = tensor_name(source_of(node->input_value(0))),
                          .weight_axes = {},
                          .input_axes = {},
                          .second = tensor_name(source_of(node->input_value(1)))});
  return products;
}

std::vector<QuantizableOp> searchable_ops(const Model& model) {
  std::vector<QuantizableOp> ops = quantizable_ops(model);
  for (QuantizableOp& product : activation_products(model)) ops.push_back(std::move(product));
  for (QuantizableOp& sequence : recurrent_sequences(model)) ops.push_back(std::move(sequence));
  return ops;
}

std::vector<ObservationPoint> product_points(const Model& model) {
  std::vector<ObservationPoint> points;
  for (const auto& node : all_ops(*model.graph)) {
    if (!is_product(*node)) continue;
    for (const auto& input : node->input_values()) {
      const Output source = source_of(input);
      const ov::PartialShape& shape = source.get_partial_shape();
      const bool has_channels = shape.rank().is_static() && shape.size() > 0 && shape[shape.size() - 1].is_static();
      points.push_back({tensor_name(source), has_channels ? -1 : kNoChannels});
    }
  }
  return points;
}

}  // namespace lpot
