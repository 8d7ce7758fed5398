#include "lpot/quantize/graph/quantized_ops.h"

#include <fmt/format.h>

#include <map>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/model/bodies.h"
#include "lpot/plan/capability.h"

namespace lpot {
namespace {

namespace op = ov::opset8;

std::size_t weights_input(const ov::Node& node) {
  const std::string type = node.get_type_name();
  if (type == "LSTMSequence") return 4;
  return type == "GRUSequence" ? 3 : 1;
}

bool is_quantized_type(const ov::element::Type& type) {
  return type == ov::element::i8 || type == ov::element::u8 || type == ov::element::i4 || type == ov::element::u4;
}

struct Part {
  bool is_constant = false;   // it depends on no input of the model
  bool is_quantized = false;  // it contains small integers or a quantizer
};

// The part of the graph that computes an output of the node. `parts` contains all nodes before it.
Part part_before(const ov::Node& node, const std::map<const ov::Node*, Part>& parts) {
  if (ov::is_type<op::Constant>(&node)) return {true, is_quantized_type(node.get_output_element_type(0))};
  Part part{node.get_input_size() > 0, ov::is_type<op::FakeQuantize>(&node)};
  for (std::size_t i = 0; i < node.get_input_size(); ++i) {
    const Part& input = parts.at(node.get_input_node_ptr(i));
    part.is_constant = part.is_constant && input.is_constant;
    part.is_quantized = part.is_quantized || input.is_quantized;
  }
  return part;
}

}  // namespace

// load_model folds constant ops, except those that dequantize. So the weights are either one constant, or a few ops
// that compute the floats of quantized weights.
QuantizedOps quantized_ops(const Model& model) {
  QuantizedOps found;
  std::map<const ov::Node*, Part> parts;
  for (const auto& node : all_ops(*model.graph)) {
    parts.emplace(node.get(), part_before(*node, parts));
    if (ov::is_type<op::FakeQuantize>(node) && !parts.at(node.get()).is_constant) ++found.quantizers;
    const std::size_t weights = weights_input(*node);
    if (!find_capability(node->get_type_name()) || weights >= node->get_input_size()) continue;
    const Part& part = parts.at(node->get_input_node_ptr(weights));
    // The weights of ONNX's ConvInteger and MatMulInteger are folded to 32-bit integers.
    const bool is_integer = node->get_input_element_type(weights).is_integral_number();
    if (part.is_constant && (part.is_quantized || is_integer))
      found.ops.push_back({op_name(*node), node->get_type_name()});
  }
  return found;
}

std::string describe(const QuantizedOps& found) {
  const std::string ops =
      found.ops.size() == 1 ? "1 op has int8 weights" : fmt::format("{} ops have int8 weights", found.ops.size());
  if (found.quantizers == 0) return ops;
  return found.quantizers == 1 ? ops + ", and 1 tensor has a quantizer"
                               : fmt::format("{}, and {} tensors have quantizers", ops, found.quantizers);
}

}  // namespace lpot
