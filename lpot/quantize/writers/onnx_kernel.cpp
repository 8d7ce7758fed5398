#include "lpot/quantize/writers/onnx_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/core/error.h"
#include "lpot/quantize/graph/bias.h"

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
  if (const auto bias = find_bias(*node)) {
    kernel.output = name_in_file(graph, bias->node->output(0));
    if (!kernel.output.empty()) {
      kernel.bias = bias->values(output_channels(*node));
      kernel.bias_constant = bias->constant->get_friendly_name();
    }
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
