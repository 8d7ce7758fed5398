#include "lpot/quantize/placement.h"

#include <algorithm>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <set>

#include "lpot/calibrate/observe.h"

namespace lpot {
namespace {

namespace op = ov::opset8;

const Mover* find_mover(const ov::Node& node, const MoveOptions& options) {
  if (!options.through_concat && ov::is_type<op::Concat>(&node)) return nullptr;
  if (!options.through_max_pooling && std::string_view(node.get_type_name()) == "MaxPool") return nullptr;
  const auto& rows = movers();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Mover& row) { return row.op_type == node.get_type_name(); });
  return found == rows.end() ? nullptr : &*found;
}

// The node's output is read by these inputs and nothing else.
bool is_read_only_by(const ov::Output<ov::Node>& output, const std::vector<ov::Input<ov::Node>>& readers) {
  const std::set<ov::Input<ov::Node>> all = output.get_target_inputs();
  return all.size() == readers.size() &&
         std::all_of(readers.begin(), readers.end(), [&](const auto& reader) { return all.contains(reader); });
}

bool is_convolution(const ov::Node& node) {
  return ov::is_type<op::Convolution>(&node) || ov::is_type<op::GroupConvolution>(&node);
}

// The addition of a constant is a convolution's bias.
const ov::Node* without_bias(const ov::Node* node) {
  if (ov::is_type<op::Add>(node))
    for (std::size_t side : {0, 1})
      if (ov::is_type<op::Constant>(node->get_input_node_ptr(side))) return node->get_input_node_ptr(1 - side);
  return node;
}

}  // namespace

const std::vector<Mover>& movers() {
  static const std::vector<Mover> kTable{{"Reshape"},         {"Transpose"},    {"Squeeze"},      {"Unsqueeze"},
                                         {"MaxPool"},         {"Slice"},        {"StridedSlice"}, {"DepthToSpace"},
                                         {"ShuffleChannels"}, {"SpaceToDepth"}, {"Concat", true}};
  return kTable;
}

std::vector<ov::Input<ov::Node>> move_up(const std::vector<ov::Input<ov::Node>>& readers, const MoveOptions& options) {
  const ov::Output<ov::Node> tensor = readers.front().get_source_output();
  const std::shared_ptr<ov::Node> producer = tensor.get_node_shared_ptr();
  const Mover* mover = find_mover(*producer, options);
  const bool is_simple = mover && producer->get_output_size() == 1;
  if (!is_simple || !is_read_only_by(tensor, readers)) return readers;
  std::vector<ov::Input<ov::Node>> moved;
  for (std::size_t i = 0; i < (mover->every_input ? producer->get_input_size() : 1); ++i) {
    // What is constant is quantized where it is used.
    if (ov::is_type<op::Constant>(producer->get_input_node_ptr(i))) return readers;
    for (const auto& input : move_up({producer->input(i)}, options)) moved.push_back(input);
  }
  return moved;
}

bool may_be_divided(const ov::Input<ov::Node>& input) {
  ov::Node* producer = input.get_source_output().get_node();
  if (std::string_view(producer->get_type_name()).starts_with("Reduce")) return false;
  const Mover* mover = find_mover(*producer, {});
  if (!mover) return true;
  for (std::size_t i = 0; i < (mover->every_input ? producer->get_input_size() : 1); ++i)
    if (!may_be_divided(producer->input(i))) return false;
  return true;
}

std::vector<ResidualSum> residual_sums(const Model& model) {
  std::vector<ResidualSum> sums;
  for (const auto& node : model.graph->get_ordered_ops()) {
    if (!ov::is_type<op::Add>(node) || node->get_output_element_type(0) != ov::element::f32) continue;
    for (const std::size_t side : {0, 1}) {
      const auto tensor = node->input_value(side), bypass = node->input_value(1 - side);
      const ov::Node* convolution = without_bias(tensor.get_node());
      if (!is_convolution(*convolution) || ov::is_type<op::Constant>(bypass.get_node())) continue;
      if (tensor.get_target_inputs().size() != 1) continue;
      sums.push_back({op_name(*node), side, op_name(*convolution), tensor_name(*tensor.get_node(), tensor.get_index()),
                      tensor_name(*bypass.get_node(), bypass.get_index())});
      break;
    }
  }
  return sums;
}

}  // namespace lpot
