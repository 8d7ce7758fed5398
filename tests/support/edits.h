// Edits made in tests.
#pragma once
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/quantize/activation_range.h"
#include "lpot/quantize/capability.h"
#include "lpot/quantize/edits.h"

namespace lpot {

inline std::vector<float> weights_of(const Model& model, const QuantizableOp& quantizable, Shape& shape) {
  for (const auto& node : model.graph->get_ordered_ops()) {
    if (op_name(*node) != quantizable.name || node->get_type_name() != quantizable.type) continue;
    shape.assign(node->get_input_shape(1).begin(), node->get_input_shape(1).end());
    return ov::as_type_ptr<ov::opset8::Constant>(node->get_input_node_shared_ptr(1))->cast_vector<float>();
  }
  return {};
}

inline OpEdit int8_edit(const Model& model, const QuantizableOp& quantizable, const Range& levels,
                        const TensorScheme& weight) {
  OpEdit edit;
  edit.op = quantizable.name;
  edit.type = quantizable.type;
  edit.activation = quantizable.activation;
  edit.levels = levels;
  edit.input_channel_axis = edit.output_channel_axis = quantizable.type == "MatMul" ? -1 : 1;
  edit.weight_axes = quantizable.weight_axes;
  Shape shape;
  const std::vector<float> weights = weights_of(model, quantizable, shape);
  edit.weights = quantize_weights(weights, shape, quantizable.weight_axes, weight);
  return edit;
}

// Every op that can be: half-range weights per channel, the same levels everywhere.
inline Edits int8_edits(const Model& model, const Range& levels) {
  Edits edits;
  for (const QuantizableOp& quantizable : quantizable_ops(model))
    edits.ops.push_back(
        int8_edit(model, quantizable, levels, {Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 7}));
  return edits;
}

// What the plan comes down to, recipes aside.
inline Edits edits_of(const Model& model, const Plan& plan, const Statistics& statistics) {
  Edits edits;
  for (const QuantizableOp& quantizable : quantizable_ops(model)) {
    const OpPlan& of_op = plan.ops.at(quantizable.name);
    if (of_op.precision != Precision::Int8) continue;
    const Range range = find_range(statistics.at(quantizable.activation), of_op.activation.algorithm,
                                   {.symmetry = of_op.activation.symmetry});
    edits.ops.push_back(
        int8_edit(model, quantizable, activation_levels(range, of_op.activation.symmetry), of_op.weight));
  }
  return edits;
}

// Tables of floats that are looked up by row, a scale for each row.
inline std::vector<TableEdit> table_edits(const Model& model) {
  std::vector<TableEdit> tables;
  for (const auto& node : model.graph->get_ordered_ops()) {
    if (std::string(node->get_type_name()) != "Gather") continue;
    const auto rows = ov::as_type_ptr<ov::opset8::Constant>(node->get_input_node_shared_ptr(0));
    if (!rows || rows->get_element_type() != ov::element::f32 || rows->get_shape().size() != 2) continue;
    const Shape shape(rows->get_shape().begin(), rows->get_shape().end());
    tables.push_back(
        {op_name(*node), quantize_weights(rows->cast_vector<float>(), shape, {0},
                                          {.granularity = Granularity::PerChannel, .symmetry = Symmetry::Symmetric})});
  }
  return tables;
}

}  // namespace lpot
