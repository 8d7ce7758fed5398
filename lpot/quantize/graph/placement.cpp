#include "lpot/quantize/graph/placement.h"

#include <algorithm>
#include <openvino/op/util/avg_pool_base.hpp>
#include <openvino/op/util/binary_elementwise_arithmetic.hpp>
#include <openvino/op/util/interpolate_base.hpp>
#include <openvino/op/util/pad_base.hpp>
#include <openvino/op/util/unary_elementwise_arithmetic.hpp>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <optional>
#include <set>

#include "lpot/calibrate/observe.h"
#include "lpot/model/bodies.h"

namespace lpot {
namespace {

namespace op = ov::opset8;

// True for the transpose that follows attention's product of probabilities and values, and for the reshape after it. If
// the probabilities are reshaped, the plug-in does not fuse attention into one kernel. The transpose is then a separate
// pass, which is faster on integers.
bool joins_heads(const ov::Node& node) {
  const ov::Node* transpose = ov::is_type<op::Reshape>(&node) ? node.get_input_node_ptr(0) : &node;
  if (!ov::is_type<op::Transpose>(transpose)) return false;
  const ov::Node* product = transpose->get_input_node_ptr(0);
  return ov::is_type<op::MatMul>(product) && !ov::is_type<op::Constant>(product->get_input_node_ptr(1)) &&
         std::string_view(product->get_input_node_ptr(0)->get_type_name()) == "Softmax";
}

const ValuePreservingOp* find_value_preserving_op(const ov::Node& node, const MoveOptions& options) {
  if (!options.through_concat && ov::is_type<op::Concat>(&node)) return nullptr;
  if (!options.through_max_pooling && std::string_view(node.get_type_name()) == "MaxPool") return nullptr;
  if (!options.through_heads && joins_heads(node)) return nullptr;
  const auto& rows = value_preserving_ops();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const ValuePreservingOp& row) { return row.op_type == node.get_type_name(); });
  return found == rows.end() || (found->only_if && !found->only_if(node)) ? nullptr : &*found;
}

bool is_nearest_resize(const ov::Node& node) {
  const auto resize = ov::as_type<const ov::op::util::InterpolateBase>(&node);
  return resize && resize->get_attrs().mode == ov::op::util::InterpolateBase::InterpolateMode::NEAREST;
}

// Zero-padding preserves values because zero is exactly a level of every quantizer.
bool pads_with_zeros_or_copies(const ov::Node& node) {
  const auto pad = ov::as_type<const ov::op::util::PadBase>(&node);
  if (!pad) return false;
  if (pad->get_pad_mode() != ov::op::PadMode::CONSTANT || node.get_input_size() < 4) return true;
  const auto value = ov::as_type<const op::Constant>(node.get_input_node_ptr(3));
  return value && value->cast_vector<float>() == std::vector<float>{0.0f};
}

// True when these inputs are the only readers of the output.
bool is_read_only_by(const ov::Output<ov::Node>& output, const std::vector<ov::Input<ov::Node>>& readers) {
  const std::set<ov::Input<ov::Node>> all = output.get_target_inputs();
  return all.size() == readers.size() &&
         std::all_of(readers.begin(), readers.end(), [&](const auto& reader) { return all.contains(reader); });
}

// False if the op has further outputs that are read, such as the indices of MaxPool.
bool is_only_output(const ov::Node& node) {
  for (std::size_t i = 1; i < node.get_output_size(); ++i)
    if (!node.output(i).get_target_inputs().empty()) return false;
  return true;
}

bool is_convolution(const ov::Node& node) {
  return ov::is_type<op::Convolution>(&node) || ov::is_type<op::GroupConvolution>(&node);
}

struct Reductions {
  bool any = false;
  bool blocked_min_max = false;  // a ReduceMax or ReduceMin followed by more than value-preserving ops
};

// The reductions that feed this input through value-preserving and elementwise ops.
Reductions reductions_before(const ov::Input<ov::Node>& input) {
  using Place = std::pair<ov::Node*, bool>;  // an op, and whether an elementwise op follows it
  Reductions found;
  std::vector<Place> open{{input.get_source_output().get_node(), false}};
  std::set<Place> seen(open.begin(), open.end());
  const auto visit = [&](ov::Node* node, bool is_before_elementwise) {
    if (seen.emplace(node, is_before_elementwise).second) open.emplace_back(node, is_before_elementwise);
  };
  while (!open.empty()) {
    const auto [node, is_before_elementwise] = open.back();
    open.pop_back();
    const std::string_view type = node->get_type_name();
    if (type.starts_with("Reduce")) {
      found.any = true;
      found.blocked_min_max |= is_before_elementwise && (type == "ReduceMax" || type == "ReduceMin");
    } else if (const ValuePreservingOp* preserving_op = find_value_preserving_op(*node, {})) {
      for (std::size_t i = 0; i < (preserving_op->every_input ? node->get_input_size() : 1); ++i)
        visit(node->get_input_node_ptr(i), is_before_elementwise);
    } else if (is_elementwise(*node)) {
      visit(node->get_input_node_ptr(ov::is_type<op::Constant>(node->get_input_node_ptr(0)) ? 1 : 0), true);
    }
  }
  return found;
}

// Whether elementwise ops after this op multiply by a constant with several values. `channels_allowed`: except by one
// value for each index of the last dimension.
bool is_scaled_unevenly(const ov::Node& node, bool channels_allowed) {
  const auto readers = node.output(0).get_target_inputs();
  return std::any_of(readers.begin(), readers.end(), [&](const ov::Input<ov::Node>& reader) {
    const ov::Node& next = *reader.get_node();
    if (!is_elementwise(next)) return false;
    if (ov::is_type<op::Multiply>(&next) || ov::is_type<op::Divide>(&next)) {
      const ov::Shape& factors = next.get_input_shape(1 - reader.get_index());
      const std::size_t count = ov::shape_size(factors);
      if (count > 1 && !(channels_allowed && factors.back() == count)) return true;
    }
    return is_scaled_unevenly(next, channels_allowed);
  });
}

// Whether a product with weights reads this tensor, perhaps after ops of single values or that preserve values. Its
// activation may be divided per channel.
bool feeds_product_with_weights(const ov::Node& node) {
  const auto readers = node.output(0).get_target_inputs();
  return std::any_of(readers.begin(), readers.end(), [](const ov::Input<ov::Node>& reader) {
    const ov::Node& next = *reader.get_node();
    if (ov::is_type<op::MatMul>(&next)) return ov::is_type<op::Constant>(next.get_input_node_ptr(1));
    return (is_elementwise(next) || preserves_values(next, {})) && feeds_product_with_weights(next);
  });
}

// The op that produces this input, before ops that preserve values.
const ov::Node* first_changing_op(const ov::Input<ov::Node>& input) {
  const ov::Node* node = input.get_source_output().get_node();
  while (preserves_values(*node, {})) node = node->get_input_node_ptr(0);
  return node;
}

// Skips the addition of a constant, which is the bias of a convolution.
const ov::Node* without_bias(const ov::Node* node) {
  if (ov::is_type<op::Add>(node))
    for (std::size_t side : {0, 1})
      if (ov::is_type<op::Constant>(node->get_input_node_ptr(side))) return node->get_input_node_ptr(1 - side);
  return node;
}

// The index of the input of an addition that a convolution produces for it alone. nullopt: no residual sum.
std::optional<std::size_t> convolution_side(const ov::Node& node) {
  if (!ov::is_type<op::Add>(&node) || node.get_output_element_type(0) != ov::element::f32) return std::nullopt;
  for (const std::size_t side : {0, 1}) {
    const auto tensor = node.input_value(side), bypass = node.input_value(1 - side);
    if (is_convolution(*without_bias(tensor.get_node())) && !ov::is_type<op::Constant>(bypass.get_node()) &&
        tensor.get_target_inputs().size() == 1)
      return side;
  }
  return std::nullopt;
}

// The op that could write this tensor as integers (ResidualSum::bypass_producer).
std::string integer_producer(const ov::Output<ov::Node>& tensor) {
  if (tensor.get_target_inputs().size() != 1) return "";
  const ov::Node* producer = tensor.get_node();
  if (convolution_side(*producer)) return op_name(*producer);
  if (const ov::Node* kernel = without_bias(producer); is_convolution(*kernel)) return op_name(*kernel);
  if (preserves_values(*producer, {})) return integer_producer(producer->input_value(0));
  if (!is_elementwise(*producer)) return "";
  return integer_producer(producer->input_value(ov::is_type<op::Constant>(producer->get_input_node_ptr(0)) ? 1 : 0));
}

}  // namespace

// Why some ops are not in the table. Times in ms of the ops between two int8 convolutions (64 channels, 56 x 56 pixels,
// AVX2): first with the quantizer after the op, then with the quantizer moved before it.
// - Relu, Clamp, Sigmoid, HSwish, Multiply and Add with a constant, Gather of channels: 0 with the quantizer after the
//   op, because the op is fused into the previous convolution, which then writes integers. A quantizer before the op
//   prevents int8 in the next kernel.
// - AvgPool 2 x 2: 0.08 and 0.07; 3 x 3: 0.28 and 0.22. ReduceMean: 0.05 and 0.05. Both change values and need a second
//   quantizer after them (is_average, graph/integer_reads.h).
// - Linear Interpolate, Tile: the runtime keeps them and the previous convolution in fp32 either way.
// - Split: 0.18 and 0.07, if its outputs have the same quantizer (splits_values, graph/unified_levels.h).
// - SpaceToDepth: the runtime computes the next convolution in fp32.
// Ops in the table: MaxPool 0.08 and 0.04, nearest Interpolate 0.22 and 0.15, Pad 0.13 and 0 (fused into the
// convolution). ReduceMax: 0.21 and 0.20, and a quantizer directly after ReduceMax or ReduceMin gives wrong results
// (see may_be_quantized). Residual sums are handled separately below.
const std::vector<ValuePreservingOp>& value_preserving_ops() {
  static const std::vector<ValuePreservingOp> kTable{
      {"Reshape"},
      {"Transpose"},
      {"Squeeze"},
      {"Unsqueeze"},
      {"MaxPool"},
      {"ReduceMax"},
      {"ReduceMin"},
      {"Slice"},
      {"StridedSlice"},
      {"DepthToSpace"},
      {"ShuffleChannels"},
      {"Concat", true},
      {"Pad", false, pads_with_zeros_or_copies},
      {"Interpolate", false, is_nearest_resize},
  };
  return kTable;
}

std::vector<ov::Input<ov::Node>> one_step_up(const std::vector<ov::Input<ov::Node>>& readers,
                                             const MoveOptions& options) {
  const ov::Output<ov::Node> tensor = readers.front().get_source_output();
  const std::shared_ptr<ov::Node> producer = tensor.get_node_shared_ptr();
  const ValuePreservingOp* preserving_op = find_value_preserving_op(*producer, options);
  if (!preserving_op || !is_only_output(*producer) || !is_read_only_by(tensor, readers)) return {};
  std::vector<ov::Input<ov::Node>> inputs;
  for (std::size_t i = 0; i < (preserving_op->every_input ? producer->get_input_size() : 1); ++i) {
    // Constant inputs are quantized at their reader instead.
    if (ov::is_type<op::Constant>(producer->get_input_node_ptr(i))) return {};
    inputs.push_back(producer->input(i));
  }
  return inputs;
}

std::vector<ov::Input<ov::Node>> move_up(const std::vector<ov::Input<ov::Node>>& readers, const MoveOptions& options) {
  const std::vector<ov::Input<ov::Node>> above = one_step_up(readers, options);
  if (above.empty()) return readers;
  std::vector<ov::Input<ov::Node>> moved;
  for (const auto& input : above)
    for (const auto& further : move_up({input}, options)) moved.push_back(further);
  return moved;
}

bool preserves_values(const ov::Node& node, const MoveOptions& options) {
  const ValuePreservingOp* preserving_op = find_value_preserving_op(node, options);
  return preserving_op && !preserving_op->every_input && is_only_output(node);
}

bool splits_values(const ov::Node& node) {
  const std::string_view type = node.get_type_name();
  return type == "Split" || type == "VariadicSplit";
}

bool is_elementwise(const ov::Node& node) {
  static const std::set<std::string_view> kActivations{"Clamp", "Elu", "Swish", "Gelu", "PRelu", "SoftPlus", "Mish"};
  if (ov::is_type<ov::op::util::UnaryElementwiseArithmetic>(&node) || kActivations.contains(node.get_type_name()))
    return true;
  return ov::is_type<ov::op::util::BinaryElementwiseArithmetic>(&node) &&
         (ov::is_type<op::Constant>(node.get_input_node_ptr(0)) ||
          ov::is_type<op::Constant>(node.get_input_node_ptr(1)));
}

bool is_average(const ov::Node& node) {
  const std::string_view type = node.get_type_name();
  return type == "AvgPool" || type == "ReduceMean";
}

bool pads_average(const ov::Node& node) {
  const auto pool = ov::as_type<const ov::op::util::AvgPoolBase>(&node);
  if (!pool || pool->get_exclude_pad()) return false;
  const auto pads = [](const ov::Shape& shape) {
    return std::any_of(shape.begin(), shape.end(), [](std::size_t size) { return size > 0; });
  };
  return pads(pool->get_pads_begin()) || pads(pool->get_pads_end()) ||
         pool->get_auto_pad() != ov::op::PadType::EXPLICIT;
}

bool may_be_divided(const ov::Input<ov::Node>& input) {
  return !reductions_before(input).any && !is_average(*first_changing_op(input));
}

bool may_be_quantized(const ov::Input<ov::Node>& input) { return !reductions_before(input).blocked_min_max; }

bool may_be_int8_product(const ov::Node& product) {
  const bool has_weights = ov::is_type<op::Constant>(product.get_input_node_ptr(1));
  const auto readers = product.output(0).get_target_inputs();
  const auto reads_values = [](const auto& reader) {
    return std::string_view(reader.get_node()->get_type_name()) != "ShapeOf";
  };
  if (is_scaled_unevenly(product, has_weights)) return false;
  return has_weights ||
         (std::count_if(readers.begin(), readers.end(), reads_values) <= 1 && !feeds_product_with_weights(product));
}

bool is_residual_sum(const ov::Node& node) { return convolution_side(node).has_value(); }

std::vector<ResidualSum> residual_sums(const Model& model) {
  std::vector<ResidualSum> sums;
  for (const auto& node : all_ops(*model.graph)) {
    const auto side = convolution_side(*node);
    if (!side) continue;
    const auto tensor = node->input_value(*side), bypass = node->input_value(1 - *side);
    sums.push_back({op_name(*node), *side, op_name(*without_bias(tensor.get_node())), tensor_name(tensor),
                    tensor_name(bypass), integer_producer(bypass)});
  }
  return sums;
}

}  // namespace lpot
