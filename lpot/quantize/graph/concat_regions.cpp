#include "lpot/quantize/graph/concat_regions.h"

#include <algorithm>
#include <map>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <string_view>

#include "lpot/calibrate/observe.h"
#include "lpot/plan/capability.h"
#include "lpot/quantize/graph/placement.h"

namespace lpot {
namespace {

namespace op = ov::opset8;
using Output = ov::Output<ov::Node>;

bool is_float_concat(const ov::Node& node) {
  return ov::is_type<op::Concat>(&node) && node.get_output_element_type(0) == ov::element::f32;
}

// The groups of concatenations that share a tensor, each in topological order.
std::vector<std::vector<const ov::Node*>> connected_concats(const Model& model) {
  std::vector<std::vector<const ov::Node*>> groups;
  std::map<Output, std::size_t> group_of;
  for (const auto& node : model.graph->get_ordered_ops()) {
    if (!is_float_concat(*node)) continue;
    const std::size_t number = groups.size();
    groups.push_back({node.get()});
    std::set<std::size_t> joined;
    for (const Output& input : node->input_values())
      if (const auto known = group_of.find(input); known != group_of.end()) joined.insert(known->second);
    for (const std::size_t other : joined) {
      groups[number].insert(groups[number].end() - 1, groups[other].begin(), groups[other].end());
      groups[other].clear();
      for (auto& [tensor, group] : group_of)
        if (group == other) group = number;
    }
    for (const Output& input : node->input_values()) group_of[input] = number;
    group_of[node->output(0)] = number;
  }
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  return groups;
}

bool may_be_kernel(const ov::Node& node) { return find_capability(node.get_type_name()) != nullptr; }

bool is_before_kernels(const ov::Node& node) { return is_generated(node) && only_read_by(node, may_be_kernel); }

bool may_read_integers(const ov::Input<ov::Node>& reader) {
  const ov::Node& node = *reader.get_node();
  if (is_float_concat(node)) return true;
  if (is_before_kernels(node)) return true;
  return reader.get_index() == 0 && (may_be_kernel(node) || preserves_values(node, {}) || is_average(node));
}

ConcatRegion region_of(const std::vector<const ov::Node*>& concats) {
  ConcatRegion region;
  std::set<Output> known;
  const auto add = [&](const Output& tensor) {
    if (known.insert(tensor).second) region.tensors.push_back(tensor);
  };
  for (const ov::Node* concat : concats) {
    for (const Output& input : concat->input_values()) add(input);
    const Output output = const_cast<ov::Node*>(concat)->output(0);
    add(output);
    const auto readers = output.get_target_inputs();
    if (std::none_of(readers.begin(), readers.end(),
                     [](const auto& reader) { return is_float_concat(*reader.get_node()); }))
      region.last.push_back(tensor_name(*concat, 0));
  }
  return region;
}

bool is_usable(const ConcatRegion& region) {
  bool has_op_without_weights = false;
  for (const Output& tensor : region.tensors) {
    if (ov::is_type<op::Constant>(tensor.get_node())) return false;
    for (const auto& reader : tensor.get_target_inputs()) {
      if (!may_read_integers(reader)) return false;
      has_op_without_weights = has_op_without_weights || is_before_kernels(*reader.get_node());
    }
  }
  return has_op_without_weights;
}

}  // namespace

bool is_generated(const ov::Node& node) {
  static const std::set<std::string_view> kGenerated{"Add", "Clamp", "Multiply", "PRelu", "Relu", "Subtract"};
  return kGenerated.contains(node.get_type_name()) && is_elementwise(node);
}

bool only_read_by(const ov::Node& node, const std::function<bool(const ov::Node&)>& is_kernel) {
  const auto readers = node.output(0).get_target_inputs();
  return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](const ov::Input<ov::Node>& reader) {
    const ov::Node& next = *reader.get_node();
    if (reader.get_index() == 0 && is_kernel(next)) return true;
    return (is_generated(next) || is_average(next) || preserves_values(next, {})) && only_read_by(next, is_kernel);
  });
}

std::vector<ConcatRegion> concat_regions(const Model& model) {
  std::vector<ConcatRegion> regions;
  for (const auto& concats : connected_concats(model))
    if (ConcatRegion region = region_of(concats); is_usable(region)) regions.push_back(std::move(region));
  return regions;
}

}  // namespace lpot
