#include "lpot/quantize/writers/onnx_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/core/error.h"

namespace lpot {
namespace {

namespace op = ov::opset8;

bool is_constant(const ov::Node& node, std::size_t input) {
  return ov::is_type<op::Constant>(node.get_input_node_ptr(input));
}

// Ops that copy their input.
bool is_copy(const onnx::NodeProto& node) { return node.op_type() == "Identity" || node.op_type() == "Dropout"; }

// The kernel before this tensor, if only foldable ops lie between them.
const onnx::NodeProto* kernel_before(const OnnxGraph& graph, const std::string& tensor) {
  static const std::set<std::string> kKernels{"Conv", "ConvTranspose", "Gemm", "MatMul"};
  static const std::set<std::string> kFoldable{"BatchNormalization", "Add", "Sub", "Mul", "Div", "Identity", "Dropout"};
  const onnx::NodeProto* node = graph.producer(tensor);
  if (!node || kKernels.contains(node->op_type())) return node;
  if (!kFoldable.contains(node->op_type())) return nullptr;
  for (const std::string& input : node->input())
    if (const onnx::NodeProto* found = kernel_before(graph, input)) return found;
  return nullptr;
}

std::size_t output_channels(const ov::Node& kernel) {
  const ov::Shape& weights = kernel.get_input_shape(1);
  if (ov::is_type<op::GroupConvolution>(&kernel)) return weights[0] * weights[1];
  if (ov::is_type<op::Convolution>(&kernel)) return weights[0];
  if (const auto product = ov::as_type<const op::MatMul>(&kernel)) return weights[product->get_transpose_b() ? 0 : 1];
  return weights[1];
}

// The kernel's only reader, if it adds a constant with one value or one value per output channel.
std::shared_ptr<ov::Node> bias_addition(const ov::Node& kernel, std::size_t channels) {
  const auto readers = kernel.output(0).get_target_inputs();
  const ov::Rank rank = kernel.get_output_partial_shape(0).rank();
  if (readers.size() != 1 || rank.is_dynamic()) return nullptr;
  std::shared_ptr<ov::Node> addition = readers.begin()->get_node()->shared_from_this();
  if (!ov::is_type<op::Add>(addition) || addition->get_output_element_type(0) != ov::element::f32) return nullptr;
  const std::size_t side = 1 - readers.begin()->get_index();
  if (!is_constant(*addition, side)) return nullptr;
  const ov::Shape& shape = addition->get_input_shape(side);
  if (shape.size() > static_cast<std::size_t>(rank.get_length())) return nullptr;
  if (ov::shape_size(shape) == 1) return addition;
  const bool is_product = ov::is_type<op::MatMul>(&kernel);
  const std::size_t from_end = is_product ? 1 : static_cast<std::size_t>(rank.get_length()) - 1;
  const bool along_channels =
      shape.size() >= from_end && *(shape.end() - static_cast<std::ptrdiff_t>(from_end)) == channels;
  return along_channels && ov::shape_size(shape) == channels ? addition : nullptr;
}

void read_bias(OnnxKernel& kernel, const ov::Node& addition, std::size_t channels) {
  const std::size_t side = is_constant(addition, 1) ? 1 : 0;
  const auto constant = ov::as_type_ptr<op::Constant>(addition.get_input_node_shared_ptr(side));
  kernel.bias = constant->cast_vector<float>();
  if (kernel.bias.size() == 1) kernel.bias.assign(channels, kernel.bias[0]);
  kernel.bias_constant = constant->get_friendly_name();
}

[[noreturn]] void refuse(const OnnxKernel& kernel, const std::string& why) {
  throw ModelError(
      "export_onnx",
      fmt::format("op '{}' ({}): {}. To export the model to ONNX, keep the op in fp32 (quantization.op_wise).",
                  kernel.name, kernel.op->get_type_name(), why));
}

}  // namespace

std::string name_in_file(const OnnxGraph& graph, const ov::Output<ov::Node>& output) {
  std::string last;
  for (const std::string& name : output.get_names())
    if (graph.producer(name) && (last.empty() || graph.position(name) > graph.position(last))) last = name;
  return last;
}

bool is_kernel(const ov::Node& node) {
  if (ov::is_type<op::MatMul>(&node)) return is_constant(node, 1) && node.get_input_shape(1).size() == 2;
  return (ov::is_type<op::Convolution>(&node) || ov::is_type<op::GroupConvolution>(&node) ||
          ov::is_type<op::ConvolutionBackpropData>(&node)) &&
         is_constant(node, 1);
}

OnnxKernel find_kernel(const OnnxGraph& graph, const std::shared_ptr<ov::Node>& node) {
  OnnxKernel kernel{.op = node, .name = op_name(*node), .bias = {}, .bias_constant = {}, .node = nullptr, .output = {}};
  const std::size_t channels = output_channels(*node);
  if (const auto addition = bias_addition(*node, channels)) {
    kernel.output = name_in_file(graph, addition->output(0));
    if (!kernel.output.empty()) read_bias(kernel, *addition, channels);
  }
  if (kernel.output.empty()) kernel.output = name_in_file(graph, node->output(0));
  while (!kernel.output.empty() && is_copy(*graph.producer(kernel.output)) &&
         graph.producer(graph.producer(kernel.output)->input(0)))
    kernel.output = graph.producer(kernel.output)->input(0);
  if (!kernel.output.empty()) kernel.node = kernel_before(graph, kernel.output);
  if (!kernel.node) refuse(kernel, "the file has no Conv, ConvTranspose, Gemm or MatMul node for it alone");
  return kernel;
}

FileLayout file_layout(const OnnxKernel& kernel) {
  const ov::Shape& shape = kernel.op->get_input_shape(1);
  const std::string& type = kernel.node->op_type();
  FileLayout layout{.dims = Dims(shape.begin(), shape.end()), .channel_axis = 0, .transposed = false};
  if (ov::is_type<op::Convolution>(kernel.op) && type == "Conv") return layout;
  if (ov::is_type<op::GroupConvolution>(kernel.op) && type == "Conv") {
    layout.dims.erase(layout.dims.begin());
    layout.dims[0] *= static_cast<std::int64_t>(shape[0]);
    return layout;
  }
  if (ov::is_type<op::ConvolutionBackpropData>(kernel.op) && type == "ConvTranspose") {
    layout.channel_axis = 1;
    return layout;
  }
  const auto product = ov::as_type_ptr<op::MatMul>(kernel.op);
  if (!product || (type != "Gemm" && type != "MatMul"))
    refuse(kernel,
           fmt::format("its node '{}' has type {}; expected Conv, ConvTranspose, Gemm or MatMul as in the graph",
                       kernel.node->name(), type));
  const bool transposed_in_file = int_attribute(*kernel.node, "transB", 0) != 0;
  layout.transposed = product->get_transpose_b() != transposed_in_file;
  if (layout.transposed) std::swap(layout.dims[0], layout.dims[1]);
  layout.channel_axis = transposed_in_file ? 0 : 1;
  return layout;
}

}  // namespace lpot
