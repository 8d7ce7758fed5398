#include "lpot/model/output_end.h"

#include <algorithm>
#include <array>
#include <openvino/core/model.hpp>
#include <openvino/op/constant.hpp>
#include <openvino/op/log_softmax.hpp>
#include <openvino/op/softmax.hpp>
#include <openvino/op/transpose.hpp>
#include <openvino/op/util/reduction_base.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "lpot/model/bodies.h"

namespace lpot {
namespace {

constexpr int kNormSteps = 8;  // ops between the division by a norm and the sum of the squares

using Node = ov::Node;

std::string_view type_of(const Node& node) { return node.get_type_info().name; }

bool is_one_of(const Node& node, std::initializer_list<std::string_view> types) {
  return std::find(types.begin(), types.end(), type_of(node)) != types.end();
}

// Whether an op only moves values.
bool only_moves_values(const Node& node) {
  return is_one_of(node, {"Reshape", "Squeeze", "Unsqueeze", "Transpose", "Convert", "Identity"});
}

const Node& input_of(const Node& node, std::size_t index) { return *node.get_input_node_ptr(index); }

bool is_constant(const Node& node) {
  return is_one_of(node, {"Constant"}) || (is_one_of(node, {"Convert"}) && is_constant(input_of(node, 0)));
}

// The op that computes the values, with the output's axes as axes of this op where transposes moved them.
struct Source {
  const Node* node = nullptr;
  std::vector<std::size_t> axes;  // axes[i]: the axis of the op that is axis i of the output; empty: unknown
};

Source source_of(const Node& result) {
  Source source{&input_of(result, 0), {}};
  const ov::PartialShape shape = result.get_input_partial_shape(0);
  if (shape.rank().is_static())
    for (std::size_t i = 0; i < shape.size(); ++i) source.axes.push_back(i);
  while (only_moves_values(*source.node)) {
    const Node& node = *source.node;
    if (const auto* transpose = dynamic_cast<const ov::op::v1::Transpose*>(&node)) {
      const auto order = ov::as_type_ptr<ov::op::v0::Constant>(transpose->input_value(1).get_node_shared_ptr());
      const auto permutation = order ? order->cast_vector<std::size_t>() : std::vector<std::size_t>{};
      if (permutation.size() != source.axes.size()) source.axes.clear();
      for (std::size_t& axis : source.axes) axis = permutation[axis];
    } else if (!is_one_of(node, {"Convert", "Identity"})) {
      source.axes.clear();
    }
    source.node = &input_of(node, 0);
  }
  return source;
}

// The axis of the output that is this axis of the source, or the only one of the same size.
std::optional<std::size_t> output_axis(const Node& result, const Source& source, std::size_t axis) {
  for (std::size_t i = 0; i < source.axes.size(); ++i)
    if (source.axes[i] == axis) return i;
  const ov::PartialShape from = source.node->get_output_partial_shape(0), to = result.get_input_partial_shape(0);
  if (from.rank().is_dynamic() || to.rank().is_dynamic() || from[axis].is_dynamic()) return std::nullopt;
  std::vector<std::size_t> found;
  for (std::size_t i = 1; i < to.size(); ++i)
    if (to[i] == from[axis]) found.push_back(i);
  if (found.size() == 1) return found.front();
  const bool are_last = !found.empty() && found.back() + 1 == to.size() && axis + 1 == from.size();
  return are_last ? std::optional(found.back()) : std::nullopt;
}

std::optional<std::size_t> positive_axis(const Node& node, std::int64_t axis) {
  const ov::PartialShape shape = node.get_output_partial_shape(0);
  if (axis >= 0) return static_cast<std::size_t>(axis);
  if (shape.rank().is_dynamic()) return std::nullopt;
  return static_cast<std::size_t>(axis + static_cast<std::int64_t>(shape.size()));
}

std::optional<std::size_t> softmax_axis(const Node& node) {
  if (const auto* op = dynamic_cast<const ov::op::v8::Softmax*>(&node)) return positive_axis(node, op->get_axis());
  if (const auto* op = dynamic_cast<const ov::op::v1::Softmax*>(&node)) return op->get_axis();
  if (const auto* op = dynamic_cast<const ov::op::v5::LogSoftmax*>(&node)) return positive_axis(node, op->get_axis());
  return std::nullopt;
}

enum class Divisor { Other, Norm, Deviation, Sum, SumOfExponentials };

// What a value is divided by, or multiplied with the inverse of.
Divisor divisor_of(const Node& start) {
  const Node* node = &start;
  bool has_root = false;
  for (int step = 0; step < kNormSteps; ++step) {
    if (is_one_of(*node, {"ReduceL2"})) return Divisor::Norm;
    if (has_root && is_one_of(*node, {"ReduceMean"})) return Divisor::Deviation;
    if (is_one_of(*node, {"ReduceSum"})) {
      if (has_root) return Divisor::Norm;
      return is_one_of(input_of(*node, 0), {"Exp"}) ? Divisor::SumOfExponentials : Divisor::Sum;
    }
    has_root = has_root || is_one_of(*node, {"Sqrt", "Power"});
    if (!is_one_of(*node, {"Sqrt", "Power", "Maximum", "Minimum", "Clamp", "Add", "Broadcast", "Convert", "Reshape",
                           "Squeeze", "Unsqueeze", "Divide"}))
      return Divisor::Other;
    const bool first_is_constant = is_constant(input_of(*node, 0));
    if (first_is_constant && node->get_input_size() < 2) return Divisor::Other;
    node = &input_of(*node, first_is_constant ? 1 : 0);
  }
  return Divisor::Other;
}

OutputEndKind kind_of_quotient(const Node& node) {
  for (const std::size_t side : {1u, 0u}) {
    if (side == 0 && type_of(node) == "Divide") break;
    const Divisor divisor = divisor_of(input_of(node, side));
    if (divisor == Divisor::Norm) return OutputEndKind::UnitNorm;
    if (divisor == Divisor::Deviation) return OutputEndKind::Normalization;
    if (divisor == Divisor::SumOfExponentials) return OutputEndKind::Softmax;
    if (divisor == Divisor::Sum && is_one_of(input_of(node, 0), {"ReduceSum"})) return OutputEndKind::Mean;
  }
  return OutputEndKind::Other;
}

// A layer normalization ends with a product and a sum with constants.
bool is_normalization(const Node& node) {
  const Node* inner = &node;
  for (const std::string_view type : {"Add", "Multiply"}) {
    if (type_of(*inner) != type) continue;
    const std::size_t side = is_constant(input_of(*inner, 0)) ? 1 : 0;
    if (!is_constant(input_of(*inner, 1 - side))) return false;
    inner = &input_of(*inner, side);
  }
  if (is_one_of(*inner, {"MVN"})) return true;
  return is_one_of(*inner, {"Divide", "Multiply"}) && divisor_of(input_of(*inner, 1)) == Divisor::Deviation;
}

bool is_linear(const Node& node) {
  const auto product = {std::string_view("MatMul"), std::string_view("Convolution"),
                        std::string_view("GroupConvolution"), std::string_view("ConvolutionBackpropData")};
  if (is_one_of(node, product)) return true;
  return type_of(node) == "Add" && (is_one_of(input_of(node, 0), product) || is_one_of(input_of(node, 1), product));
}

// A mean of shares is a share.
bool is_mean_of_sigmoid(const Node& node) {
  if (!is_one_of(node, {"ReduceMean"})) return false;
  const Node* values = &input_of(node, 0);
  while (only_moves_values(*values)) values = &input_of(*values, 0);
  return is_one_of(*values, {"Sigmoid"});
}

OutputEndKind kind_of(const Node& node) {
  if (is_one_of(node, {"Softmax", "LogSoftmax"})) return OutputEndKind::Softmax;
  if (is_one_of(node, {"Sigmoid", "HardSigmoid", "HSigmoid"}) || is_mean_of_sigmoid(node))
    return OutputEndKind::Sigmoid;
  if (is_one_of(node, {"Tanh"})) return OutputEndKind::Tanh;
  if (is_one_of(node, {"NormalizeL2"})) return OutputEndKind::UnitNorm;
  if (is_one_of(node, {"ReduceMean", "AvgPool", "AdaptiveAvgPool"})) return OutputEndKind::Mean;
  if (is_one_of(node, {"Interpolate"})) return OutputEndKind::Resize;
  if (is_one_of(node, {"TopK"})) return OutputEndKind::Index;
  if (is_linear(node)) return OutputEndKind::Linear;
  if (is_normalization(node)) return OutputEndKind::Normalization;
  if (is_one_of(node, {"Divide", "Multiply"})) return kind_of_quotient(node);
  return OutputEndKind::Other;
}

}  // namespace

OutputEnd output_end(const Model& model, std::size_t output) {
  const Node& result = *model.graph->get_results().at(output);
  const Source source = source_of(result);
  OutputEnd end{kind_of(*source.node), std::string(type_of(*source.node))};
  if (end.kind != OutputEndKind::Softmax) return end;
  if (const auto axis = softmax_axis(*source.node)) end.axis = output_axis(result, source, *axis);
  return end;
}

bool has_box_suppression(const Model& model) {
  for (const auto& node : all_ops(*model.graph)) {
    const std::string_view type = type_of(*node);
    if (type.starts_with("NonMaxSuppression") || type.starts_with("MatrixNms") || type.starts_with("MulticlassNms") ||
        type == "DetectionOutput")
      return true;
  }
  return false;
}

}  // namespace lpot
