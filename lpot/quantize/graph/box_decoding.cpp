#include "lpot/quantize/graph/box_decoding.h"

#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <string_view>

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

}  // namespace

bool decodes_boxes(const ov::Node& node) { return is_expected_value(node); }

}  // namespace lpot
