#include "python/src/edits.h"

#include <pybind11/stl.h>

#include <map>
#include <openvino/op/constant.hpp>
#include <openvino/op/matmul.hpp>
#include <openvino/openvino.hpp>

#include "lpot/core/error.h"

namespace lpot::python {
namespace {

using Nodes = std::map<std::string, std::shared_ptr<ov::Node>>;

template <typename T>
py::array array_of(const std::vector<T>& values, const ov::Shape& shape) {
  return py::array_t<T>(std::vector<py::ssize_t>(shape.begin(), shape.end()), values.data());
}

py::dict weights_of(const QuantizedWeights& weights, const ov::Shape& shape) {
  py::dict answer;
  answer["values"] = array_of(weights.values, shape);
  answer["scales"] = array_of(weights.scales, ov::Shape(weights.scale_shape));
  return answer;
}

// Weights may stand behind a conversion of their type.
const ov::Node& weights_node(const ov::Node& op) {
  const ov::Node* node = op.get_input_node_ptr(1);
  while (!dynamic_cast<const ov::op::v0::Constant*>(node) && node->get_input_size() > 0)
    node = node->get_input_node_ptr(0);
  return *node;
}

py::object flag(const ov::Node& op, const std::string& name) {
  const auto* product = dynamic_cast<const ov::op::v0::MatMul*>(&op);
  if (!product) return py::none();
  return py::bool_(name == "transpose_a" ? product->get_transpose_a() : product->get_transpose_b());
}

py::dict op_edit(const OpEdit& edit, const ov::Node& op) {
  py::dict answer;
  answer["op"] = edit.op;
  answer["type"] = edit.type;
  answer["quantizes_activation"] = !edit.activation.empty();
  answer["low"] = edit.levels.low;
  answer["high"] = edit.levels.high;
  answer["divisors"] = array_of(edit.written_divisors(), {edit.written_divisors().size()});
  answer["input_channel_axis"] = edit.input_channel_axis;
  answer["input_rank"] = op.get_input_partial_shape(0).rank().is_static()
                             ? py::object(py::int_(op.get_input_partial_shape(0).rank().get_length()))
                             : py::object(py::none());
  answer["weights"] = weights_of(edit.weights, op.get_input_shape(1));
  answer["weights_name"] = weights_node(op).get_friendly_name();
  answer["transpose_b"] = flag(op, "transpose_b");
  answer["bias"] = array_of(edit.bias, {edit.bias.size()});
  answer["output_channel_axis"] = edit.output_channel_axis;
  return answer;
}

}  // namespace

py::dict edits_of(const Model& source, const Edits& edits) {
  std::multimap<std::string, std::shared_ptr<ov::Node>> nodes;
  Nodes constants;
  for (const auto& node : source.graph->get_ordered_ops()) {
    nodes.emplace(op_name(*node), node);
    if (ov::is_type<ov::op::v0::Constant>(node)) constants[node->get_friendly_name()] = node;
  }
  const auto find = [&](const std::string& name, const std::string& type) -> const ov::Node& {
    const auto [begin, end] = nodes.equal_range(name);
    for (auto at = begin; at != end; ++at)
      if (type.empty() || at->second->get_type_name() == type) return *at->second;
    throw ModelError("export", "the op " + name + " is not in the model");
  };
  py::list ops, products, sums, reads, replaced, tables;
  for (const OpEdit& edit : edits.ops) ops.append(op_edit(edit, find(edit.op, edit.type)));
  for (const ProductEdit& edit : edits.products) {
    py::dict answer;
    answer["op"] = edit.op;
    answer["levels"] = py::make_tuple(py::make_tuple(edit.levels[0].low, edit.levels[0].high),
                                      py::make_tuple(edit.levels[1].low, edit.levels[1].high));
    products.append(answer);
  }
  for (const ConstantEdit& edit : edits.constants) {
    py::dict answer;
    answer["constant"] = edit.constant;
    answer["values"] = array_of(edit.values, constants.at(edit.constant)->get_output_shape(0));
    replaced.append(answer);
  }
  for (const SumEdit& edit : edits.sums) {
    py::dict answer;
    answer["op"] = edit.op;
    answer["side"] = edit.side;
    answer["levels"] = py::make_tuple(edit.levels.low, edit.levels.high);
    sums.append(answer);
  }
  for (const SharedRead& read : edits.reads) reads.append(read.op);
  for (const EmbeddingEdit& edit : edits.tables) {
    const ov::Node& gather = find(edit.op, "Gather");
    py::dict answer;
    answer["op"] = edit.op;
    answer["has_row_scales"] = edit.has_row_scales();
    answer["rows"] = weights_of(*edit.rows, gather.get_input_shape(0));
    tables.append(answer);
  }
  py::dict answer;
  answer["ops"] = ops;
  answer["products"] = products;
  answer["sums"] = sums;
  answer["reads"] = reads;
  answer["constants"] = replaced;
  answer["tables"] = tables;
  return answer;
}

py::array source_weights(const Model& source, const std::string& op) {
  for (const auto& node : source.graph->get_ordered_ops()) {
    if (op_name(*node) != op || node->get_input_size() < 2) continue;
    const auto* constant = dynamic_cast<const ov::op::v0::Constant*>(&weights_node(*node));
    if (constant && node->get_input_partial_shape(1) == ov::PartialShape(constant->get_shape()))
      return array_of(constant->cast_vector<float>(), constant->get_shape());
  }
  throw ModelError("export", "the op " + op + " has no constant weights");
}

}  // namespace lpot::python
