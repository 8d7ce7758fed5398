#include "lpot/quantize/graph/channel_pairs.h"

#include <algorithm>
#include <map>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <optional>
#include <set>

#include "lpot/model/bodies.h"
#include "lpot/quantize/graph/quantizable_ops.h"

namespace lpot {
namespace {

namespace op = ov::opset8;
using Axes = std::vector<std::size_t>;  // dimensions of the channels, outermost first

std::size_t rank_of(const ov::PartialShape& shape) { return static_cast<std::size_t>(shape.rank().get_length()); }

std::optional<std::size_t> length(const ov::PartialShape& shape, std::size_t axis) {
  const ov::Dimension& dimension = shape[static_cast<std::ptrdiff_t>(axis)];
  if (dimension.is_dynamic()) return std::nullopt;
  return static_cast<std::size_t>(dimension.get_length());
}

// Finds the channel axes after a reshape. Values keep their order, so the axes after the channels have the same total
// size as before.
std::optional<Axes> reshaped(const Axes& axes, const ov::PartialShape& from, const ov::PartialShape& to,
                             std::size_t channels) {
  for (std::size_t i = 1; i < axes.size(); ++i)
    if (axes[i] != axes[i - 1] + 1) return std::nullopt;
  std::size_t inner_size = 1;
  for (std::size_t axis = axes.back() + 1; axis < rank_of(from); ++axis) {
    const auto size = length(from, axis);
    if (!size) return std::nullopt;
    inner_size *= *size;
  }
  Axes found;
  std::size_t inner = 1, count = 1;
  for (std::size_t axis = rank_of(to); axis-- > 0 && count < channels;) {
    const auto size = length(to, axis);
    if (!size) return std::nullopt;
    const bool is_inner = inner < inner_size || (*size == 1 && found.empty());
    (is_inner ? inner : count) *= *size;
    if (!is_inner) found.insert(found.begin(), axis);
  }
  if (inner != inner_size || count != channels) return std::nullopt;
  return found;
}

std::optional<Axes> transposed(const Axes& axes, const ov::Node& node) {
  const auto order = ov::as_type_ptr<op::Constant>(node.get_input_node_shared_ptr(1));
  if (!order) return std::nullopt;
  const auto from = order->cast_vector<std::size_t>();
  Axes found;
  for (const std::size_t axis : axes) {
    const auto place = std::find(from.begin(), from.end(), axis);
    if (place == from.end()) return std::nullopt;  // an empty order reverses all axes
    found.push_back(static_cast<std::size_t>(place - from.begin()));
  }
  return found;
}

std::optional<Axes> averaged(const Axes& axes, const op::ReduceMean& node) {
  if (!node.reduction_axes_constant()) return std::nullopt;
  const ov::AxisSet reduced = node.get_reduction_axes();
  Axes found;
  for (const std::size_t axis : axes) {
    if (reduced.contains(axis)) return std::nullopt;
    const auto before = std::count_if(reduced.begin(), reduced.end(), [&](std::size_t other) { return other < axis; });
    found.push_back(node.get_keep_dims() ? axis : axis - static_cast<std::size_t>(before));
  }
  return found;
}

// Product of probabilities and values: it sums over the rows of the values; their other axes keep their positions.
std::optional<Axes> after_value_product(const Axes& axes, const op::MatMul& node, std::size_t input) {
  const std::size_t rank = rank_of(node.get_input_partial_shape(1));
  if (input != 1 || node.get_transpose_b() || rank < 2 || rank_of(node.get_output_partial_shape(0)) != rank)
    return std::nullopt;
  if (std::find(axes.begin(), axes.end(), rank - 2) != axes.end()) return std::nullopt;
  return axes;
}

// The channel axes after an op that preserves a per-channel factor; empty for all other ops.
std::optional<Axes> axes_after(const ov::Node& node, std::size_t input, const Axes& axes, std::size_t channels) {
  static const std::set<std::string> kInPlace{"Relu", "MaxPool", "AvgPool"},
      kReshapes{"Reshape", "Squeeze", "Unsqueeze"};
  const std::string type = node.get_type_name();
  if (const auto product = ov::as_type<const op::MatMul>(&node)) return after_value_product(axes, *product, input);
  if (input != 0) return std::nullopt;
  if (kInPlace.contains(type)) return axes;
  if (kReshapes.contains(type))
    return reshaped(axes, node.get_input_partial_shape(0), node.get_output_partial_shape(0), channels);
  if (type == "Transpose") return transposed(axes, node);
  if (const auto mean = ov::as_type<const op::ReduceMean>(&node)) return averaged(axes, *mean);
  return std::nullopt;
}

bool clamps_from_zero(const ov::Node& node) {
  const auto clamp = ov::as_type<const op::Clamp>(&node);
  return clamp && clamp->get_min() == 0;
}

// If an op has several outputs (indices of max pooling), only the first may have readers.
bool uses_first_output_only(const ov::Node& node) {
  for (std::size_t i = 1; i < node.get_output_size(); ++i)
    if (!node.output(i).get_target_inputs().empty()) return false;
  return node.get_output_partial_shape(0).rank().is_static();
}

bool has_one_reader(const ov::Output<const ov::Node>& output) { return output.get_target_inputs().size() == 1; }

// A constant that only this op reads, with one value per channel along this axis.
const op::Constant* channel_constant(const ov::Node& addition, std::size_t side, std::size_t axis,
                                     std::size_t channels) {
  const auto constant = ov::as_type<const op::Constant>(addition.get_input_node_ptr(side));
  if (!constant || !has_one_reader(constant->output(0)) || constant->get_element_type() != ov::element::f32)
    return nullptr;
  const ov::Shape& shape = constant->get_shape();
  const std::size_t rank = rank_of(addition.get_output_partial_shape(0));
  if (ov::shape_size(shape) != channels || shape.size() > rank || shape.size() + axis < rank) return nullptr;
  return shape[shape.size() + axis - rank] == channels ? constant : nullptr;
}

std::string key_of(const std::string& name, const std::string& type) { return name + "\n" + type; }

class ChannelPathFinder {
 public:
  // `model`: `source`, or `source` with other shapes.
  ChannelPathFinder(const Model& model, const Model& source) {
    std::set<std::string> known;
    for (const QuantizableOp& quantizable : quantizable_ops(source))
      known.insert(key_of(quantizable.name, quantizable.type));
    for (QuantizableOp& quantizable : quantizable_ops(model)) {
      std::string key = key_of(quantizable.name, quantizable.type);
      if (known.contains(key)) kernels_.emplace(std::move(key), std::move(quantizable));
    }
  }

  std::optional<ChannelPair> pair_from(const ov::Node& kernel) const {
    auto path = follow(kernel, true);
    const QuantizableOp* second = path ? find(*path->end) : nullptr;
    return second && ends_at(path->pair, *second, *path->end, path->axes) ? std::optional(path->pair) : std::nullopt;
  }

  // The path of a kernel's channels to the next kernel or to a product of two activations.
  struct Path {
    ChannelPair pair;
    Axes axes = {};
    const ov::Node* end = nullptr;
    std::size_t input = 0;  // input index of `end`
  };
  std::optional<Path> path_to_product(const ov::Node& kernel) const {
    auto path = follow(kernel, false);
    return path && !find(*path->end) && !path->pair.is_clamped ? path : std::nullopt;
  }

 private:
  // Follows the channels while a per-channel factor can pass: up to the next kernel or, unless `through_products` is
  // set, to a product of two activations.
  std::optional<Path> follow(const ov::Node& kernel, bool through_products) const {
    const QuantizableOp* first = find(kernel);
    if (!first || kernel.get_output_partial_shape(0).rank().is_dynamic()) return std::nullopt;
    Path path{.pair = {.first = first->name, .second = {}, .bias = {}, .mix = {}, .channels = 1, .is_clamped = false}};
    ChannelPair& pair = path.pair;
    for (const std::size_t axis : first->weight_axes) pair.channels *= kernel.get_input_shape(1)[axis];
    path.axes = {channel_axis(*first, kernel.get_output_partial_shape(0))};
    for (const ov::Node* node = &kernel; has_one_reader(node->output(0)); node = path.end) {
      const auto reader = *node->output(0).get_target_inputs().begin();
      const ov::Node& next = *reader.get_node();
      path.end = &next;
      path.input = reader.get_index();
      if (next.get_output_size() == 0 || !uses_first_output_only(next)) return std::nullopt;
      const bool is_product = ov::is_type<op::MatMul>(&next);
      if ((find(next) && path.input == 0) || (is_product && !through_products)) return path;
      const bool is_bias = node == &kernel && ov::is_type<op::Add>(&next);
      const auto bias = is_bias ? channel_constant(next, 1 - path.input, path.axes[0], pair.channels) : nullptr;
      if (bias) {
        pair.bias = bias->get_friendly_name();
        continue;
      }
      if (clamps_from_zero(next)) {
        pair.is_clamped = true;
        continue;
      }
      const auto moved = axes_after(next, path.input, path.axes, pair.channels);
      if (!moved) return std::nullopt;
      path.axes = *moved;
      if (is_product) pair.mix = op_name(next);
    }
    return std::nullopt;
  }

  const QuantizableOp* find(const ov::Node& node) const {
    const auto found = kernels_.find(key_of(op_name(node), node.get_type_name()));
    if (found == kernels_.end() || !has_one_reader(node.get_input_node_ptr(1)->output(0))) return nullptr;
    return &found->second;
  }

  static std::size_t channel_axis(const QuantizableOp& kernel, const ov::PartialShape& shape) {
    const int axis = find_capability(kernel.type)->channel_axis;
    return axis < 0 ? rank_of(shape) - static_cast<std::size_t>(-axis) : static_cast<std::size_t>(axis);
  }

  static bool ends_at(ChannelPair& pair, const QuantizableOp& second, const ov::Node& node, const Axes& axes) {
    pair.second = second.name;
    std::size_t inputs = 1;
    for (const std::size_t axis : second.input_axes) inputs *= node.get_input_shape(1)[axis];
    return inputs == pair.channels && axes == Axes{channel_axis(second, node.get_input_partial_shape(0))};
  }

  std::map<std::string, QuantizableOp> kernels_;  // by name and type
};

std::vector<ChannelPair> find_channel_pairs(const Model& model, const Model& source) {
  const ChannelPathFinder finder(model, source);
  std::vector<ChannelPair> pairs;
  for (const auto& node : all_ops(*model.graph))
    if (const auto pair = finder.pair_from(*node)) pairs.push_back(*pair);
  return pairs;
}

// True when both inputs are summed over their channels and agree in their other axes, so that channel i is multiplied
// only by channel i.
bool channels_match(const ChannelPathFinder::Path& a, const ChannelPathFinder::Path& b) {
  const auto& product = *ov::as_type<const op::MatMul>(a.end);
  const std::size_t rank = rank_of(product.get_input_partial_shape(0));
  if (rank < 2 || rank_of(product.get_input_partial_shape(1)) != rank || a.pair.channels != b.pair.channels)
    return false;
  const std::size_t summed_a = product.get_transpose_a() ? rank - 2 : rank - 1;
  const std::size_t summed_b = product.get_transpose_b() ? rank - 1 : rank - 2;
  const Axes others_a(a.axes.begin(), a.axes.end() - 1), others_b(b.axes.begin(), b.axes.end() - 1);
  const bool are_batches =
      std::all_of(others_a.begin(), others_a.end(), [&](std::size_t axis) { return axis + 2 < rank; });
  return a.axes.back() == summed_a && b.axes.back() == summed_b && others_a == others_b && are_batches;
}

std::vector<FactorPair> find_factor_pairs(const Model& model, const Model& source) {
  const ChannelPathFinder finder(model, source);
  std::map<const ov::Node*, std::map<std::size_t, ChannelPathFinder::Path>> sides;  // by product and input index
  std::vector<FactorPair> pairs;
  for (const auto& node : all_ops(*model.graph)) {
    const auto path = finder.path_to_product(*node);
    if (!path) continue;
    auto& of_product = sides[path->end];
    of_product.emplace(path->input, *path);
    if (of_product.size() != 2 || !channels_match(of_product.at(0), of_product.at(1))) continue;
    const ChannelPair &a = of_product.at(0).pair, &b = of_product.at(1).pair;
    pairs.push_back({op_name(*path->end), {a.first, b.first}, {a.bias, b.bias}, a.channels});
  }
  return pairs;
}

// The model with fixed input shapes. A dynamic first dimension is the batch.
Model with_fixed_shapes(const Model& model, std::int64_t batch, std::int64_t other) {
  Model fixed = model.clone();
  std::map<ov::Output<ov::Node>, ov::PartialShape> shapes;
  for (const auto& input : fixed.graph->inputs()) {
    ov::PartialShape shape = input.get_partial_shape();
    for (std::size_t axis = 0; shape.rank().is_static() && axis < shape.size(); ++axis)
      if (shape[axis].is_dynamic()) shape[axis] = axis == 0 ? batch : other;
    shapes[input] = shape;
  }
  fixed.graph->reshape(shapes);
  return fixed;
}

// Shapes computed from dynamic dimensions (attention heads) are unknown. So the search runs with two sets of input
// sizes and keeps the pairs that both find. OpenVINO also fuses transposes with matrix products when it sets shapes, so
// some products can run in int8 only in the model with fixed shapes.
template <typename Find>
auto with_dynamic_shapes(const Model& model, Find&& find) {
  if (!model.graph->is_dynamic()) return find(model, model);
  try {
    auto pairs = find(with_fixed_shapes(model, 2, 64), model);
    const auto found = find(with_fixed_shapes(model, 3, 96), model);
    const std::set others(found.begin(), found.end());
    std::erase_if(pairs, [&](const auto& pair) { return !others.contains(pair); });
    return pairs;
  } catch (const ov::Exception&) {  // the model does not support these sizes
    return find(model, model);
  }
}

}  // namespace

std::vector<ChannelPair> channel_pairs(const Model& model) {
  std::vector<ChannelPair> pairs = with_dynamic_shapes(model, find_channel_pairs);
  std::erase_if(pairs, [](const ChannelPair& pair) { return pair.is_clamped; });
  return pairs;
}

std::vector<ChannelPair> clamped_channel_pairs(const Model& model) {
  std::vector<ChannelPair> pairs = with_dynamic_shapes(model, find_channel_pairs);
  std::erase_if(pairs, [](const ChannelPair& pair) { return !pair.is_clamped; });
  return pairs;
}

std::vector<FactorPair> factor_pairs(const Model& model) { return with_dynamic_shapes(model, find_factor_pairs); }

}  // namespace lpot
