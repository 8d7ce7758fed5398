#include "lpot/quantize/writers/onnx_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace lpot {
namespace {

// Visits every tensor that the node reads, including outer tensors that its subgraphs read. The names of tensors inside
// the subgraphs are visited too, which does no harm.
void for_each_read(const onnx::NodeProto& node, const std::function<void(const std::string&)>& visit) {
  const auto visit_graph = [&](const onnx::GraphProto& graph) {
    for (const onnx::NodeProto& inner : graph.node()) for_each_read(inner, visit);
    for (const onnx::ValueInfoProto& output : graph.output()) visit(output.name());
  };
  for (const std::string& input : node.input())
    if (!input.empty()) visit(input);
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_g()) visit_graph(attribute.g());
    for (const onnx::GraphProto& graph : attribute.graphs()) visit_graph(graph);
  }
}

template <typename Field, typename Condition>
void erase_if(Field& field, const Condition& condition) {
  field.erase(std::remove_if(field.begin(), field.end(), condition), field.end());
}

}  // namespace

OnnxGraph::OnnxGraph(onnx::GraphProto& graph) : graph_(graph) {
  for (onnx::TensorProto& tensor : *graph.mutable_initializer()) initializers_[tensor.name()] = &tensor;
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    positions_[&node] = positions_.size();
    for (const std::string& output : node.output())
      if (!output.empty()) producers_[output] = &node;
    for_each_read(node, [&](const std::string& tensor) { ++readers_[tensor]; });
  }
  for (const onnx::ValueInfoProto& output : graph.output()) ++readers_[output.name()];
}

onnx::NodeProto* OnnxGraph::producer(const std::string& tensor) const {
  const auto found = producers_.find(tensor);
  return found == producers_.end() ? nullptr : found->second;
}

onnx::TensorProto* OnnxGraph::constant(const std::string& tensor) const {
  if (const auto found = initializers_.find(tensor); found != initializers_.end()) return found->second;
  onnx::NodeProto* node = producer(tensor);
  if (!node || node->op_type() != "Constant") return nullptr;
  for (onnx::AttributeProto& attribute : *node->mutable_attribute())
    if (attribute.name() == "value") return attribute.mutable_t();
  return nullptr;
}

std::vector<onnx::NodeProto*> OnnxGraph::readers(const std::string& tensor) const {
  std::vector<onnx::NodeProto*> found;
  for (onnx::NodeProto& node : *graph_.mutable_node())
    if (!removed_.contains(&node) && std::find(node.input().begin(), node.input().end(), tensor) != node.input().end())
      found.push_back(&node);
  return found;
}

std::size_t OnnxGraph::position(const std::string& tensor) const { return positions_.at(producers_.at(tensor)); }

bool OnnxGraph::exists(const std::string& tensor) const {
  const auto read = readers_.find(tensor);
  return producers_.contains(tensor) || initializers_.contains(tensor) ||
         (read != readers_.end() && read->second > 0) ||
         std::any_of(graph_.input().begin(), graph_.input().end(),
                     [&](const auto& input) { return input.name() == tensor; });
}

std::string OnnxGraph::unique_name(const std::string& wanted) const {
  std::string name = wanted;
  for (int i = 1; exists(name); ++i) name = fmt::format("{}_{}", wanted, i);
  return name;
}

template <typename T>
std::string OnnxGraph::add_constant(const std::string& wanted_name, const Dims& dims, const std::vector<T>& values) {
  std::string name = unique_name(wanted_name);
  onnx::TensorProto* tensor = graph_.add_initializer();
  *tensor = build_tensor(name, dims, values);
  initializers_[name] = tensor;
  return name;
}
template std::string OnnxGraph::add_constant(const std::string&, const Dims&, const std::vector<float>&);
template std::string OnnxGraph::add_constant(const std::string&, const Dims&, const std::vector<std::int8_t>&);
template std::string OnnxGraph::add_constant(const std::string&, const Dims&, const std::vector<std::uint8_t>&);
template std::string OnnxGraph::add_constant(const std::string&, const Dims&, const std::vector<std::int32_t>&);
template std::string OnnxGraph::add_constant(const std::string&, const Dims&, const std::vector<std::int64_t>&);

onnx::NodeProto& OnnxGraph::add_node(onnx::NodeProto node) {
  onnx::NodeProto* added = graph_.add_node();
  added->Swap(&node);
  for (const std::string& output : added->output())
    if (!output.empty()) producers_[output] = added;
  for_each_read(*added, [&](const std::string& tensor) { ++readers_[tensor]; });
  return *added;
}

void OnnxGraph::replace_input(onnx::NodeProto& node, int input, const std::string& tensor) {
  const std::string old = node.input(input);
  node.set_input(input, tensor);
  pin(tensor);
  remove_reader(old);
}

void OnnxGraph::release(const std::string& tensor) {
  onnx::NodeProto* node = producer(tensor);
  if (!node) return;
  producers_.erase(tensor);
  for (std::string& output : *node->mutable_output())
    if (output == tensor) output.clear();
  const auto is_read = [&](const std::string& output) { return !output.empty() && readers_[output] > 0; };
  if (std::none_of(node->output().begin(), node->output().end(), is_read)) remove(node);
}

void OnnxGraph::remove(onnx::NodeProto* node) {
  if (!removed_.insert(node).second) return;
  for (const std::string& output : node->output()) producers_.erase(output);
  for_each_read(*node, [&](const std::string& tensor) { remove_reader(tensor); });
}

void OnnxGraph::remove_reader(const std::string& tensor) {
  if (--readers_[tensor] > 0) return;
  if (initializers_.contains(tensor)) {
    remove_constant(tensor);
  } else {
    release(tensor);
  }
}

void OnnxGraph::remove_constant(const std::string& name) {
  // Free the bytes now, but erase the entry only in `finish`, because other entries must not move.
  initializers_.at(name)->Clear();
  initializers_.erase(name);
  erase_if(*graph_.mutable_input(), [&](const auto& input) { return input.name() == name; });
}

void OnnxGraph::finish() {
  google::protobuf::RepeatedPtrField<onnx::NodeProto> sorted;
  std::set<const onnx::NodeProto*> done = removed_;
  const std::function<void(onnx::NodeProto&)> emit = [&](onnx::NodeProto& node) {
    if (!done.insert(&node).second) return;
    for_each_read(node, [&](const std::string& tensor) {
      if (onnx::NodeProto* source = producer(tensor)) emit(*source);
    });
    sorted.Add()->Swap(&node);
  };
  for (onnx::NodeProto& node : *graph_.mutable_node()) emit(node);
  graph_.mutable_node()->Swap(&sorted);
  erase_if(*graph_.mutable_initializer(), [](const auto& tensor) { return tensor.name().empty(); });
  erase_if(*graph_.mutable_value_info(), [&](const auto& value) { return !exists(value.name()); });
}

}  // namespace lpot
