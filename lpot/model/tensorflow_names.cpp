#include "lpot/model/tensorflow_names.h"

#include <openvino/frontend/extension/conversion.hpp>
#include <openvino/frontend/node_context.hpp>
#include <openvino/op/util/attr_types.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/core/error.h"

namespace lpot {
namespace {

using ov::frontend::NodeContext;
namespace op = ov::opset8;

// Attributes of a TensorFlow convolution, in the order of the spatial dimensions.
struct ConvolutionAttributes {
  bool channels_last = true;
  std::size_t spatial_rank = 2;
  ov::Strides strides;
  ov::Strides dilations;
  ov::CoordinateDiff pads_begin;
  ov::CoordinateDiff pads_end;
  ov::op::PadType padding = ov::op::PadType::EXPLICIT;
};

template <typename T>
T spatial_part(const std::vector<std::int64_t>& values, bool channels_last) {
  const auto first = values.begin() + (channels_last ? 1 : 2);
  return T(first, first + static_cast<std::ptrdiff_t>(values.size()) - 2);
}

ConvolutionAttributes read_attributes(const NodeContext& node, std::size_t spatial_rank) {
  ConvolutionAttributes attributes;
  attributes.spatial_rank = spatial_rank;
  const auto format = node.get_attribute<std::string>("data_format", spatial_rank == 2 ? "NHWC" : "NDHWC");
  attributes.channels_last = format.ends_with('C');
  const std::vector<std::int64_t> ones(spatial_rank + 2, 1);
  attributes.strides = spatial_part<ov::Strides>(node.get_attribute<std::vector<std::int64_t>>("strides", ones),
                                                 attributes.channels_last);
  attributes.dilations = spatial_part<ov::Strides>(node.get_attribute<std::vector<std::int64_t>>("dilations", ones),
                                                   attributes.channels_last);
  attributes.pads_begin.assign(spatial_rank, 0);
  attributes.pads_end.assign(spatial_rank, 0);
  const auto padding = node.get_attribute<std::string>("padding");
  if (padding == "SAME") attributes.padding = ov::op::PadType::SAME_UPPER;
  if (padding == "VALID") attributes.padding = ov::op::PadType::VALID;
  if (padding == "EXPLICIT") {
    const auto pads = node.get_attribute<std::vector<std::int64_t>>("explicit_paddings");
    for (std::size_t i = 0; i < spatial_rank; ++i) {
      const std::size_t dimension = i + (attributes.channels_last ? 1 : 2);
      attributes.pads_begin[i] = pads.at(2 * dimension);
      attributes.pads_end[i] = pads.at(2 * dimension + 1);
    }
  }
  return attributes;
}

ov::Output<ov::Node> transpose(const ov::Output<ov::Node>& value, const std::vector<std::int64_t>& order) {
  return std::make_shared<op::Transpose>(value, op::Constant::create(ov::element::i64, {order.size()}, order));
}

// Transposes to [0, rank-1, 1, ..., rank-2]. channels_last is the inverse.
ov::Output<ov::Node> channels_first(const ov::Output<ov::Node>& value, const ConvolutionAttributes& attributes) {
  if (!attributes.channels_last) return value;
  std::vector<std::int64_t> order{0, static_cast<std::int64_t>(attributes.spatial_rank) + 1};
  for (std::size_t i = 1; i <= attributes.spatial_rank; ++i) order.push_back(static_cast<std::int64_t>(i));
  return transpose(value, order);
}

ov::Output<ov::Node> channels_last(const ov::Output<ov::Node>& value, const ConvolutionAttributes& attributes) {
  if (!attributes.channels_last) return value;
  std::vector<std::int64_t> order{0};
  for (std::size_t i = 2; i <= attributes.spatial_rank + 1; ++i) order.push_back(static_cast<std::int64_t>(i));
  order.push_back(1);
  return transpose(value, order);
}

// The layout of a kernel is [spatial..., in, out] in TensorFlow and [out, in, spatial...] in OpenVINO.
ov::Output<ov::Node> kernel_out_first(const ov::Output<ov::Node>& kernel, std::size_t spatial_rank) {
  std::vector<std::int64_t> order{static_cast<std::int64_t>(spatial_rank) + 1, static_cast<std::int64_t>(spatial_rank)};
  for (std::size_t i = 0; i < spatial_rank; ++i) order.push_back(static_cast<std::int64_t>(i));
  return transpose(kernel, order);
}

// Gives the name of the node to the kernel op. The output of the transpose is the output of the node.
ov::OutputVector with_name(const NodeContext& node, const std::shared_ptr<ov::Node>& kernel_op,
                           const ConvolutionAttributes& attributes) {
  kernel_op->set_friendly_name(node.get_name());
  const ov::Output<ov::Node> result = channels_last(kernel_op, attributes);
  if (attributes.channels_last) result.get_node()->set_friendly_name(node.get_name() + "/channels_last");
  result.get_node()->output(0).set_names({node.get_name() + ":0"});
  return {result};
}

ov::OutputVector convert_convolution(const NodeContext& node, std::size_t spatial_rank) {
  const ConvolutionAttributes a = read_attributes(node, spatial_rank);
  const auto input = channels_first(node.get_input(0), a);
  const auto kernel = kernel_out_first(node.get_input(1), spatial_rank);
  // A kernel with fewer input channels than the input is a grouped convolution.
  const ov::Dimension input_channels =
      input.get_partial_shape().rank().is_static() ? input.get_partial_shape()[1] : ov::Dimension();
  const ov::PartialShape& kernel_shape = kernel.get_partial_shape();
  const bool grouped = input_channels.is_static() && kernel_shape.is_static() && input_channels != kernel_shape[1];
  if (!grouped)
    return with_name(
        node,
        std::make_shared<op::Convolution>(input, kernel, a.strides, a.pads_begin, a.pads_end, a.dilations, a.padding),
        a);
  const std::int64_t groups = input_channels.get_length() / kernel_shape[1].get_length();
  std::vector<std::int64_t> shape{groups, kernel_shape[0].get_length() / groups};
  for (std::size_t i = 1; i < kernel_shape.size(); ++i) shape.push_back(kernel_shape[i].get_length());
  const auto grouped_kernel =
      std::make_shared<op::Reshape>(kernel, op::Constant::create(ov::element::i64, {shape.size()}, shape), false);
  return with_name(node,
                   std::make_shared<op::GroupConvolution>(input, grouped_kernel, a.strides, a.pads_begin, a.pads_end,
                                                          a.dilations, a.padding),
                   a);
}

// The layout of depthwise kernels is [height, width, in, multiplier]; that of grouped kernels is
// [in, multiplier, 1, height, width].
ov::OutputVector convert_depthwise(const NodeContext& node) {
  const ConvolutionAttributes a = read_attributes(node, 2);
  const auto input = channels_first(node.get_input(0), a);
  const auto groups_first = transpose(node.get_input(1), {2, 3, 0, 1});
  const auto axis = op::Constant::create(ov::element::i64, {1}, {2});
  const auto kernel = std::make_shared<op::Unsqueeze>(groups_first, axis);
  return with_name(node,
                   std::make_shared<op::GroupConvolution>(input, kernel, a.strides, a.pads_begin, a.pads_end,
                                                          a.dilations, a.padding),
                   a);
}

// Inputs: output shape, kernel [spatial..., out, in], value. OpenVINO's kernel layout is [in, out, spatial...].
ov::OutputVector convert_transposed(const NodeContext& node, std::size_t spatial_rank) {
  ConvolutionAttributes a = read_attributes(node, spatial_rank);
  // The padding belongs to the forward convolution, so its sides are swapped here.
  if (a.padding == ov::op::PadType::SAME_UPPER) a.padding = ov::op::PadType::SAME_LOWER;
  const auto value = channels_first(node.get_input(2), a);
  const auto kernel = kernel_out_first(node.get_input(1), spatial_rank);
  const auto first = static_cast<std::int64_t>(a.channels_last ? 1 : 2);
  const auto at = [](std::int64_t position) { return op::Constant::create(ov::element::i64, {1}, {position}); };
  const auto spatial_shape = std::make_shared<op::Slice>(node.get_input(0), at(first),
                                                         at(first + static_cast<std::int64_t>(spatial_rank)), at(1));
  return with_name(node,
                   std::make_shared<op::ConvolutionBackpropData>(value, kernel, spatial_shape, a.strides, a.pads_begin,
                                                                 a.pads_end, a.dilations, a.padding),
                   a);
}

std::shared_ptr<ov::Extension> extension(const std::string& op_type, ov::frontend::CreatorFunction convert) {
  return std::make_shared<ov::frontend::ConversionExtension>(op_type, std::move(convert));
}

}  // namespace

std::vector<std::shared_ptr<ov::Extension>> tensorflow_name_extensions() {
  return {
      extension("Conv2D", [](const NodeContext& node) { return convert_convolution(node, 2); }),
      extension("Conv3D", [](const NodeContext& node) { return convert_convolution(node, 3); }),
      extension("DepthwiseConv2dNative", convert_depthwise),
      extension("Conv2DBackpropInput", [](const NodeContext& node) { return convert_transposed(node, 2); }),
      extension("Conv3DBackpropInputV2", [](const NodeContext& node) { return convert_transposed(node, 3); }),
  };
}

}  // namespace lpot
