// A kernel of OpenVINO's graph (a convolution or matrix product with constant weights) and the nodes of the ONNX file
// that it came from: the node itself, its bias, batch norm and whatever else load_model folded into its weights.
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
  std::string name;                       // as plans say it
  std::vector<float> bias;                // added behind it, one per output channel; empty: none
  std::string bias_constant;              // the name of the constant that holds it
  const onnx::NodeProto* node = nullptr;  // Conv, ConvTranspose, Gemm or MatMul
  std::string output;                     // the file's tensor that holds the result, bias included
};

// How the values of OpenVINO's weights lie in the file.
struct FileLayout {
  Dims dims;
  std::int64_t channel_axis = 0;  // of the output channels
  bool transposed = false;        // against OpenVINO's
};

// The file's name of an output of OpenVINO's graph, empty when it has none. An output into which ops were folded has
// several names: the last in the file is what it holds.
std::string name_in_file(const OnnxGraph&, const ov::Output<ov::Node>&);

bool is_kernel(const ov::Node&);  // of a type that find_kernel knows, with constant weights

// Throws ModelError for an op that did not come from one node of these types.
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
