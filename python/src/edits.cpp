#include "python/src/edits.h"

#include <pybind11/stl.h>

#include <map>
#include <openvino/op/constant.hpp>
#include <openvino/op/matmul.hpp>
#include <openvino/openvino.hpp>

#include "lpot/core/error.h"
#include "lpot/quantize/graph/bias.h"
#include "lpot/quantize/graph/edits_within.h"

namespace lpot::python {
namespace {

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

// Follows conversions from the weights input of an op to the constant.
const ov::Node& weights_node(const ov::Node& op) {
  const ov::Node* node = op.get_input_node_ptr(1);
  while (!dynamic_cast<const ov::op::v0::Constant*>(node) && node->get_input_size() > 0)
    node = node->get_input_node_ptr(0);
  return *node;
}

py::object matmul_flag(const ov::Node& op, const std::string& name) {
  const auto* product = dynamic_cast<const ov::op::v0::MatMul*>(&op);
  if (!product) return py::none();
  return py::bool_(name == "transpose_a" ? product->get_transpose_a() : product->get_transpose_b());
}

using ChangedConstants = std::map<std::string, const std::vector<float>*>;  // by name

// What to add to every output channel: the correction of the edit, and what rounding adds to the bias of the OpenVINO
// model, so that the framework's model computes the same.
std::vector<float> added_bias(const ov::Node& op, const OpEdit& edit, const ChangedConstants& changed) {
  const auto existing = find_bias(op);
  if (!existing || edit.activation.empty()) return rounded_bias(complete_bias(edit.bias, op, edit), edit);
  const std::size_t channels = output_channels(op);
  std::vector<float> exact = existing->values(channels);
  if (const auto found = changed.find(existing->constant->get_friendly_name());
      found != changed.end() && found->second->size() == channels)
    exact = *found->second;
  std::vector<float> bias = exact;
  for (std::size_t i = 0; i < edit.bias.size(); ++i) bias[i] += edit.bias[i];
  std::vector<float> added = rounded_bias(complete_bias(std::move(bias), op, edit), edit);
  for (std::size_t i = 0; i < added.size(); ++i) added[i] -= exact[i];
  return added;
}

py::dict op_edit(const OpEdit& edit, const ov::Node& op, const ChangedConstants& changed) {
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
  answer["transpose_b"] = matmul_flag(op, "transpose_b");
  const std::vector<float> bias = added_bias(op, edit, changed);
  answer["bias"] = array_of(bias, {bias.size()});
  answer["output_channel_axis"] = edit.output_channel_axis;
  return answer;
}

py::tuple range_tuple(const Range& levels) { return py::make_tuple(levels.low, levels.high); }

py::dict product_edit(const ProductEdit& edit) {
  py::dict answer;
  answer["op"] = edit.op;
  answer["levels"] = py::make_tuple(range_tuple(edit.levels[0]), range_tuple(edit.levels[1]));
  return answer;
}

py::dict input_edit(const InputEdit& edit) {
  py::dict answer;
  answer["op"] = edit.op;
  answer["input"] = edit.input;
  answer["levels"] = range_tuple(edit.levels);
  return answer;
}

py::dict constant_edit(const ConstantEdit& edit, const ov::Node& constant) {
  py::dict answer;
  answer["constant"] = edit.constant;
  answer["values"] = array_of(edit.values, constant.get_output_shape(0));
  return answer;
}

py::dict embedding_edit(const EmbeddingEdit& edit, const ov::Node& gather) {
  py::dict answer;
  answer["op"] = edit.op;
  answer["has_row_scales"] = edit.has_row_scales();
  answer["rows"] = weights_of(*edit.rows, gather.get_input_shape(0));
  return answer;
}

// The nodes of a model by name.
class NodeIndex {
 public:
  explicit NodeIndex(const Model& model) {
    for (const auto& node : model.graph->get_ordered_ops()) {
      ops_.emplace(op_name(*node), node);
      if (ov::is_type<ov::op::v0::Constant>(node)) constants_[node->get_friendly_name()] = node;
    }
  }

  // `type` selects among several nodes of one name; "" is any. Throws ModelError.
  const ov::Node& op(const std::string& name, const std::string& type) const {
    const auto [begin, end] = ops_.equal_range(name);
    for (auto at = begin; at != end; ++at)
      if (type.empty() || at->second->get_type_name() == type) return *at->second;
    throw ModelError("export", name + ": the model has no op of this name");
  }
  const ov::Node& constant(const std::string& name) const { return *constants_.at(name); }

 private:
  std::multimap<std::string, std::shared_ptr<ov::Node>> ops_;
  std::map<std::string, std::shared_ptr<ov::Node>> constants_;
};

}  // namespace

py::dict edits_of(const Model& source, const Edits& all) {
  const Edits edits = edits_of_main_graph(source, all);  // the functions of a GraphDef stay in fp32
  const NodeIndex nodes(source);
  py::list ops, products, inputs, constants, tables;
  ChangedConstants changed;
  for (const ConstantEdit& edit : edits.constants) changed.emplace(edit.constant, &edit.values);
  for (const OpEdit& edit : edits.ops) ops.append(op_edit(edit, nodes.op(edit.op, edit.type), changed));
  for (const ProductEdit& edit : edits.products) products.append(product_edit(edit));
  for (const InputEdit& edit : edits.inputs) inputs.append(input_edit(edit));
  for (const ConstantEdit& edit : edits.constants) constants.append(constant_edit(edit, nodes.constant(edit.constant)));
  for (const EmbeddingEdit& edit : edits.tables) tables.append(embedding_edit(edit, nodes.op(edit.op, "Gather")));
  py::dict answer;
  answer["ops"] = ops;
  answer["products"] = products;
  answer["inputs"] = inputs;
  answer["constants"] = constants;
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
  throw ModelError("export", op + ": the op has no constant weights");
}

}  // namespace lpot::python
