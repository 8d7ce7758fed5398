#include "lpot/quantize/writers/onnx_half.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <openvino/core/type/bfloat16.hpp>
#include <openvino/core/type/float16.hpp>
#include <openvino/openvino.hpp>
#include <set>
#include <string>
#include <vector>

#include "lpot/model/external_data.h"
#include "lpot/model/half_precision.h"
#include "lpot/quantize/writers/onnx_data.h"
#include "lpot/quantize/writers/onnx_values.h"

namespace lpot {
namespace {

constexpr int kFloat = onnx::TensorProto_DataType_FLOAT;

bool is_half(std::int64_t type) {
  return type == onnx::TensorProto_DataType_FLOAT16 || type == onnx::TensorProto_DataType_BFLOAT16;
}

bool is_half(const onnx::ValueInfoProto& value) { return is_half(value.type().tensor_type().elem_type()); }

// The type that this op states for its output; nullptr: its inputs determine it.
onnx::AttributeProto* stated_type(onnx::NodeProto& node) {
  static const std::set<std::string> kOpsWithType{"Bernoulli",        "EyeLike",       "RandomNormal",
                                                  "RandomNormalLike", "RandomUniform", "RandomUniformLike"};
  const std::string name = node.op_type() == "Cast" ? "to" : kOpsWithType.contains(node.op_type()) ? "dtype" : "";
  for (onnx::AttributeProto& attribute : *node.mutable_attribute())
    if (!name.empty() && attribute.name() == name) return &attribute;
  return nullptr;
}

// Subgraphs of If, Loop and Scan.
template <typename Visit>
void for_each_subgraph(onnx::NodeProto& node, const Visit& visit) {
  for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
    if (attribute.has_g()) visit(*attribute.mutable_g());
    for (onnx::GraphProto& graph : *attribute.mutable_graphs()) visit(graph);
  }
}

bool computes_in_half(onnx::GraphProto& graph) {
  std::set<std::string> constants, computed_from;
  for (const onnx::TensorProto& tensor : graph.initializer())
    if (is_half(tensor.data_type())) constants.insert(tensor.name());
  bool found = std::any_of(graph.input().begin(), graph.input().end(),
                           [&](const auto& input) { return is_half(input) && !constants.contains(input.name()); });
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    const onnx::AttributeProto* type = stated_type(node);
    const onnx::AttributeProto* value = node.op_type() == "Constant" ? find_attribute(node, "value") : nullptr;
    found = found || (type && is_half(type->i()));
    if (value && is_half(value->t().data_type())) constants.insert(node.output(0));
    if (node.op_type() != "Cast") computed_from.insert(node.input().begin(), node.input().end());
    for_each_subgraph(node, [&](onnx::GraphProto& inner) { found = computes_in_half(inner) || found; });
  }
  return found || std::any_of(constants.begin(), constants.end(),
                              [&](const std::string& name) { return computed_from.contains(name); });
}

float widened(int type, std::uint16_t bits) {
  return type == onnx::TensorProto_DataType_FLOAT16 ? static_cast<float>(ov::float16::from_bits(bits))
                                                    : static_cast<float>(ov::bfloat16::from_bits(bits));
}

void widen(const std::filesystem::path& source, onnx::TensorProto& tensor) {
  if (!is_half(tensor.data_type())) return;
  if (is_external(tensor)) load_values(source, tensor);
  std::vector<std::uint16_t> bits(tensor.int32_data().begin(), tensor.int32_data().end());
  if (tensor.has_raw_data()) {
    bits.resize(tensor.raw_data().size() / sizeof(std::uint16_t));
    std::memcpy(bits.data(), tensor.raw_data().data(), bits.size() * sizeof(std::uint16_t));
  }
  std::vector<float> values;
  for (const std::uint16_t each : bits) values.push_back(widened(tensor.data_type(), each));
  tensor = build_tensor(tensor.name(), {tensor.dims().begin(), tensor.dims().end()}, values);
}

void declare_float(onnx::ValueInfoProto& value) {
  if (is_half(value)) value.mutable_type()->mutable_tensor_type()->set_elem_type(kFloat);
}

// `is_main`: whether inputs and outputs are those of the model.
void declare_float(onnx::GraphProto& graph, bool is_main) {
  for (onnx::ValueInfoProto& value : *graph.mutable_value_info()) declare_float(value);
  if (!is_main) {
    for (onnx::ValueInfoProto& value : *graph.mutable_input()) declare_float(value);
    for (onnx::ValueInfoProto& value : *graph.mutable_output()) declare_float(value);
  }
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    if (onnx::AttributeProto* type = stated_type(node); type && is_half(type->i())) type->set_i(kFloat);
    for_each_subgraph(node, [](onnx::GraphProto& inner) { declare_float(inner, false); });
  }
}

// Replaces the name of a tensor wherever nodes read it, or also where it is written or stored.
void rename(onnx::GraphProto& graph, const std::string& from, const std::string& to, bool writers_too) {
  for (onnx::TensorProto& tensor : *graph.mutable_initializer())
    if (writers_too && tensor.name() == from) tensor.set_name(to);
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    std::replace(node.mutable_input()->begin(), node.mutable_input()->end(), from, to);
    if (writers_too) std::replace(node.mutable_output()->begin(), node.mutable_output()->end(), from, to);
    for_each_subgraph(node, [&](onnx::GraphProto& inner) { rename(inner, from, to, false); });
  }
}

onnx::NodeProto build_cast(const std::string& from, const std::string& to, std::int64_t type) {
  onnx::NodeProto cast = build_node("Cast", to + "/cast", {from}, to);
  set_attribute(cast, "to", type);
  return cast;
}

void cast_inputs_and_outputs(onnx::GraphProto& graph) {
  std::set<std::string> constants;
  for (const onnx::TensorProto& tensor : graph.initializer()) constants.insert(tensor.name());
  std::vector<onnx::NodeProto> before, after;
  for (onnx::ValueInfoProto& input : *graph.mutable_input()) {
    if (!is_half(input)) continue;
    if (constants.contains(input.name())) {  // older files list initializers as inputs
      declare_float(input);
      continue;
    }
    const std::string single = input.name() + kInSinglePrecision;
    rename(graph, input.name(), single, false);
    before.push_back(build_cast(input.name(), single, kFloat));
  }
  for (const onnx::ValueInfoProto& output : graph.output()) {
    if (!is_half(output)) continue;
    const std::string single = output.name() + kInSinglePrecision;
    rename(graph, output.name(), single, true);
    after.push_back(build_cast(single, output.name(), output.type().tensor_type().elem_type()));
  }
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  nodes.Swap(graph.mutable_node());
  for (onnx::NodeProto& node : before) graph.add_node()->Swap(&node);
  for (onnx::NodeProto& node : nodes) graph.add_node()->Swap(&node);
  for (onnx::NodeProto& node : after) graph.add_node()->Swap(&node);
}

// The tensors of OpenVINO's graph by their names. Tensors that a removed conversion connected have both names.
std::map<std::string, ov::Output<ov::Node>> tensors_by_name(const ov::Model& graph) {
  std::map<std::string, ov::Output<ov::Node>> tensors;
  for (const auto& node : graph.get_ordered_ops())
    for (const auto& output : node->outputs())
      for (const std::string& name : output.get_names()) tensors.emplace(name, output);
  return tensors;
}

void remove_casts_without_effect(const Model& source, onnx::GraphProto& graph) {
  const auto tensors = tensors_by_name(*source.graph);
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  nodes.Swap(graph.mutable_node());
  std::map<std::string, std::string> removed;  // outputs of removed casts, and what replaces them
  for (onnx::NodeProto& node : nodes) {
    const bool is_cast = node.op_type() == "Cast";
    const auto from = is_cast ? tensors.find(node.input(0)) : tensors.end();
    const auto to = is_cast ? tensors.find(node.output(0)) : tensors.end();
    if (from != tensors.end() && to != tensors.end() && from->second == to->second) {
      const auto earlier = removed.find(node.input(0));
      removed[node.output(0)] = earlier == removed.end() ? node.input(0) : earlier->second;
    } else {
      graph.add_node()->Swap(&node);
    }
  }
  for (const auto& [output, input] : removed) rename(graph, output, input, false);
}

}  // namespace

void convert_to_single_precision(const Model& source, onnx::ModelProto& model) {
  onnx::GraphProto& graph = *model.mutable_graph();
  if (!computes_in_half(graph)) return;
  declare_float(graph, true);  // before the casts of the outputs, which stay in half precision
  cast_inputs_and_outputs(graph);
  for_each_tensor(graph, [&](onnx::TensorProto& tensor) { widen(source.source, tensor); });
  remove_casts_without_effect(source, graph);
}

}  // namespace lpot
