#include "lpot/quantize/writers/convolution_variant.h"

#include <algorithm>
#include <array>
#include <openvino/op/util/binary_elementwise_arithmetic.hpp>
#include <openvino/op/util/unary_elementwise_arithmetic.hpp>
#include <openvino/opsets/opset8.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "lpot/model/bodies.h"

namespace lpot {
namespace {

namespace op = ov::opset8;

template <typename Node>
std::shared_ptr<Node> named(std::shared_ptr<Node> node, const std::string& name) {
  node->set_friendly_name(name);
  return node;
}

std::shared_ptr<ov::Node> integers(const std::vector<std::int64_t>& values, const std::string& name) {
  return named(op::Constant::create(ov::element::i64, {values.size()}, values), name);
}

// Suffixes of the names of layout steps. A layout step is a transpose. A product without a batch dimension also has an
// Unsqueeze before it or a Squeeze after it, and the step has the name of that op.
constexpr std::string_view kToChannels = "/channels_first", kFromChannels = "/channels_last", kInner = "/turned";

// The transpose of a layout step; null if it has none.
ov::Node* transpose_of(ov::Node& step) {
  ov::Node* found = &step;
  if (ov::is_type<op::Unsqueeze>(&step)) found = step.output(0).get_target_inputs().begin()->get_node();
  if (ov::is_type<op::Squeeze>(&step)) found = step.get_input_node_ptr(0);
  return ov::is_type<op::Transpose>(found) ? found : nullptr;
}

bool is_layout_step(ov::Node& node, std::string_view step) {
  return node.get_friendly_name().ends_with(step) && transpose_of(node) != nullptr;
}

std::shared_ptr<ov::Node> transpose_channels(const ov::Output<ov::Node>& tensor, const std::string& name) {
  return named(std::make_shared<op::Transpose>(tensor, integers({0, 2, 1}, name + "/order")), name);
}

// The layout change on both sides of the convolution, which depends on the rank and the variant.
enum class Layout { Batch, Rows, Pixels };

Layout layout_of(const ConvolutionVariant& variant) {
  if (variant.input.get_partial_shape().rank().get_length() == 3) return Layout::Batch;
  return variant.variant == KernelVariant::Pixels ? Layout::Pixels : Layout::Rows;
}

template <typename Step>
std::shared_ptr<ov::Node> with_axis(const ov::Output<ov::Node>& tensor, std::int64_t axis, const std::string& name) {
  return named(std::make_shared<Step>(tensor, integers({axis}, name + "/axes")), name);
}

ov::Output<ov::Node> to_channels(const ov::Output<ov::Node>& tensor, Layout layout, const std::string& name) {
  if (layout == Layout::Batch) return transpose_channels(tensor, name);
  if (layout == Layout::Pixels) return with_axis<op::Unsqueeze>(tensor, 2, name);
  return transpose_channels(with_axis<op::Unsqueeze>(tensor, 0, name), name + std::string(kInner));
}

ov::Output<ov::Node> from_channels(const ov::Output<ov::Node>& tensor, Layout layout, const std::string& name) {
  if (layout == Layout::Batch) return transpose_channels(tensor, name);
  if (layout == Layout::Pixels) return with_axis<op::Squeeze>(tensor, 2, name);
  return with_axis<op::Squeeze>(transpose_channels(tensor, name + std::string(kInner)), 0, name);
}

bool is_element_wise(const ov::Node& node) {
  constexpr auto kOthers = std::to_array<std::string_view>({"FakeQuantize", "Clamp", "Swish", "Elu"});
  return ov::is_type<ov::op::util::UnaryElementwiseArithmetic>(&node) ||
         ov::is_type<ov::op::util::BinaryElementwiseArithmetic>(&node) ||
         std::find(kOthers.begin(), kOthers.end(), node.get_type_name()) != kOthers.end();
}

// The constant in channels-first layout. Null if it is neither a single value nor one value per channel.
std::shared_ptr<op::Constant> with_channels_first(const std::shared_ptr<op::Constant>& constant) {
  const ov::Shape& shape = constant->get_shape();
  const std::size_t size = ov::shape_size(shape);
  if (size == 1 && shape.size() <= 3) return constant;
  if (shape.size() > 3 || shape.back() != size) return nullptr;
  auto moved = std::make_shared<op::Constant>(*constant, ov::Shape{1, size, 1});
  moved->set_friendly_name(constant->get_friendly_name());
  return moved;
}

// The ops between a step to channels-last and the steps to channels-first that follow it.
struct JoinableRegion {
  std::vector<ov::Node*> ops;
  std::vector<ov::Node*> layout_steps;
};

// Empty if an op other than convolutions and elementwise ops reads or writes these tensors. Replaced ops may still
// exist as readers, so only ops of the model count.
std::optional<JoinableRegion> find_joinable_region(ov::Node& to_channels_last, const std::set<const ov::Node*>& model) {
  // With dynamic shapes the runtime computes wrong results for a convolution without bias that has several readers.
  if (to_channels_last.output(0).get_target_inputs().size() > 1 &&
      !ov::is_type<op::Add>(transpose_of(to_channels_last)->get_input_node_ptr(0)))
    return std::nullopt;
  JoinableRegion region;
  std::set<ov::Node*> inside{&to_channels_last};
  std::vector<ov::Node*> open{&to_channels_last};
  while (!open.empty()) {
    ov::Node* node = open.back();
    open.pop_back();
    for (const auto& reader : node->output(0).get_target_inputs()) {
      ov::Node* next = reader.get_node();
      if (!model.contains(next)) continue;
      if (is_layout_step(*next, kToChannels)) {
        region.layout_steps.push_back(next);
      } else if (!is_element_wise(*next)) {
        return std::nullopt;
      } else if (inside.insert(next).second) {
        region.ops.push_back(next);
        open.push_back(next);
      }
    }
  }
  for (const ov::Node* node : region.ops)
    for (const auto& input : node->input_values()) {
      if (inside.contains(input.get_node())) continue;
      const auto constant = ov::as_type_ptr<op::Constant>(input.get_node_shared_ptr());
      if (!constant || !with_channels_first(constant)) return std::nullopt;
    }
  if (region.layout_steps.empty()) return std::nullopt;
  return region;
}

void skip(ov::Node& node) {
  const auto source = node.input_value(0);
  for (ov::Input<ov::Node> reader : node.output(0).get_target_inputs()) reader.replace_source_output(source);
}

void skip_layout_step(ov::Node& step) {
  ov::Node* transpose = transpose_of(step);
  skip(step);
  if (transpose != &step) skip(*transpose);
}

}  // namespace

std::size_t join_convolution_variants(ov::Model& model) {
  std::size_t joined = 0;
  const auto ordered = all_ops(model);
  if (std::none_of(ordered.begin(), ordered.end(),
                   [](const auto& node) { return is_layout_step(*node, kFromChannels); }))
    return 0;
  std::set<const ov::Node*> ops;
  for (const auto& node : ordered) ops.insert(node.get());
  for (const auto& node : ordered) {
    if (!is_layout_step(*node, kFromChannels)) continue;
    const auto region = find_joinable_region(*node, ops);
    if (!region) continue;
    for (ov::Node* element_wise : region->ops) {
      for (ov::Input<ov::Node> input : element_wise->inputs())
        if (const auto constant = ov::as_type_ptr<op::Constant>(input.get_source_output().get_node_shared_ptr()))
          input.replace_source_output(with_channels_first(constant));
      element_wise->output(0).get_tensor().set_names({});  // the layout of its values has changed
    }
    for (ov::Node* step : region->layout_steps) skip_layout_step(*step);
    skip_layout_step(*node);
    ++joined;
  }
  return joined;
}

bool has_convolution_variant(const ov::Rank& rank) {
  return rank.is_static() && (rank.get_length() == 2 || rank.get_length() == 3);
}

ov::Output<ov::Node> write_convolution_variant(const ConvolutionVariant& variant) {
  const Layout layout = layout_of(variant);
  const auto input = to_channels(variant.input, layout, variant.name + std::string(kToChannels));
  std::shared_ptr<ov::Node> result =
      named(std::make_shared<op::Convolution>(input, variant.weights, ov::Strides{1}, ov::CoordinateDiff{0},
                                              ov::CoordinateDiff{0}, ov::Strides{1}),
            variant.name);
  if (!variant.bias.empty()) {
    const auto constant = named(op::Constant::create(ov::element::f32, {1, variant.bias.size(), 1}, variant.bias),
                                variant.name + "/bias");
    result = named(std::make_shared<op::Add>(result, constant), variant.name + "/biased");
  }
  return from_channels(result, layout, variant.name + std::string(kFromChannels));
}

}  // namespace lpot
