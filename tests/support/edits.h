// Edits for tests.
#pragma once
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/graph/quantizable_ops.h"

namespace lpot {

inline std::vector<float> weights_of(const Model& model, const QuantizableOp& quantizable, Shape& shape) {
  for (const auto& node : model.graph->get_ordered_ops()) {
    if (op_name(*node) != quantizable.name || node->get_type_name() != quantizable.type) continue;
    shape.assign(node->get_input_shape(1).begin(), node->get_input_shape(1).end());
    return ov::as_type_ptr<ov::opset8::Constant>(node->get_input_node_shared_ptr(1))->cast_vector<float>();
  }
  return {};
}

// Every quantizable op in int8: half-range weights per channel, the same levels everywhere.
inline Edits int8_edits(const Model& model, const Range& levels) {
  Edits edits;
  for (const QuantizableOp& quantizable : quantizable_ops(model)) {
    OpEdit edit;
    edit.op = quantizable.name;
    edit.type = quantizable.type;
    edit.activation = quantizable.activation;
    edit.levels = levels;
    edit.input_channel_axis = edit.output_channel_axis = quantizable.type == "MatMul" ? -1 : 1;
    edit.weight_axes = quantizable.weight_axes;
    Shape shape;
    const std::vector<float> weights = weights_of(model, quantizable, shape);
    edit.weights = quantize_weights(weights, shape, quantizable.weight_axes,
                                    {Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 7});
    edits.ops.push_back(std::move(edit));
  }
  return edits;
}

}  // namespace lpot
