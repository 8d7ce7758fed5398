// A kernel of OpenVINO's graph (a convolution or matrix product with constant weights) and the ONNX nodes that it came
// from: the node itself, its bias, batch norm and everything else that load_model folded into its weights.
#pragma once
#include <memory>
#include <openvino/core/node_output.hpp>
#include <string>
#include <vector>

#include "lpot/model/model.h"
#include "lpot/quantize/writers/onnx_graph.h"

namespace lpot {

struct OnnxKernel {
  std::shared_ptr<ov::Node> op;
  std::string name;                       // the name in plans
  std::vector<float> bias;                // added after it, one value per output channel; empty: none
  std::string bias_constant;              // name of the constant that contains it
  const onnx::NodeProto* node = nullptr;  // Conv, ConvTranspose, Gemm or MatMul
  std::string output;                     // the file's tensor with the result, bias included
};

// The layout of the weights in the file, compared to OpenVINO's.
struct FileLayout {
  Dims dims;
  std::int64_t channel_axis = 0;  // axis of the output channels
  bool transposed = false;        // compared to OpenVINO's layout
};

// The file's name of an output of OpenVINO's graph; empty if it has none. If ops were folded into an output it has
// several names, and the last one in the file is the right one.
std::string name_in_file(const OnnxGraph&, const ov::Output<ov::Node>&);

bool is_kernel(const ov::Node&);  // a type that find_kernel supports, with constant weights

// Throws ModelError for an op that did not come from a single Conv, ConvTranspose, Gemm or MatMul node.
OnnxKernel find_kernel(const OnnxGraph&, const std::shared_ptr<ov::Node>&);
FileLayout file_layout(const OnnxKernel&);

template <typename T>
std::vector<T> in_layout(const std::vector<T>& values, const FileLayout& layout) {
  if (!layout.transposed) return values;
  const auto rows = static_cast<std::size_t>(layout.dims[0]), columns = static_cast<std::size_t>(layout.dims[1]);
  std::vector<T> result(values.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      result[row * columns + column] = values[column * rows + row];
  return result;
}

}  // namespace lpot
