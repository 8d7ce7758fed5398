#include "lpot/quantize/graph/box_decoding.h"

#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "lpot/quantize/graph/placement.h"

namespace lpot {
namespace {

std::string_view type_of(const ov::Node& node) { return node.get_type_info().name; }

// The op whose values the first input has, before ops that do not change values.
const ov::Node* producer(const ov::Node& node) {
  const ov::Node* above = node.get_input_node_ptr(0);
  while (preserves_values(*above, {})) above = above->get_input_node_ptr(0);
  return above;
}

bool is_expected_value(const ov::Node& node) {
  if (type_of(node) != "Convolution") return false;
  const ov::Shape& weights = node.get_input_shape(1);
  return ov::shape_size(weights) == weights[1] && type_of(*producer(node)) == "Softmax";
}

// Whether all ops after this one compute elementwise or move values, so that its result leaves the model.
bool only_leads_to_outputs(const ov::Node& node) {
  std::set<const ov::Node*> seen{&node};
  std::vector<const ov::Node*> open{&node};
  while (!open.empty()) {
    const ov::Node* next = open.back();
    open.pop_back();
    for (const ov::Output<const ov::Node>& output : next->outputs())
      for (const auto& reader : output.get_target_inputs()) {
        const ov::Node* after = reader.get_node();
        const std::string_view type = type_of(*after);
        if (type == "Convolution" || type == "GroupConvolution" || type == "MatMul") return false;
        if (seen.insert(after).second) open.push_back(after);
      }
  }
  return true;
}

bool converts_boxes(const ov::Node& node) {
  return type_of(node) == "MatMul" && node.get_input_shape(1) == ov::Shape{4, 4} && only_leads_to_outputs(node);
}

}  // namespace

bool decodes_boxes(const ov::Node& node) { return is_expected_value(node) || converts_boxes(node); }

}  // namespace lpot
