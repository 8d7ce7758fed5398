// The nodes that quantize: QuantizeLinear and DequantizeLinear around integers.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lpot/calibrate/range.h"
#include "lpot/quantize/graph/weights.h"
#include "lpot/quantize/writers/onnx_graph.h"
#include "lpot/quantize/writers/onnx_kernel.h"

namespace lpot {

// Levels as ONNX counts them. Symmetric levels are int8 with zero point 0, all others uint8.
struct Quantization {
  explicit Quantization(const Range& levels);

  float scale = 1;
  int zero_point = 0;
  bool is_signed = false;
};

// Where an activation's channels are divided before it is quantized.
struct Division {
  std::vector<float> divisors;  // empty: nowhere
  std::size_t dims_behind = 0;  // how many dimensions follow that of the channels

  bool operator<(const Division& other) const {
    return std::tie(divisors, dims_behind) < std::tie(other.divisors, other.dims_behind);
  }
};

class QdqNodes {
 public:
  explicit QdqNodes(OnnxGraph& graph) : graph_(graph) {}

  // All give the name of the tensor to be read instead.
  std::string activation(const std::string& tensor, const Range& levels, const Division&);
  // Weights that several ops share and that were quantized in the same way are stored once. They are kept by reference.
  std::string weights(const std::string& name, const FileLayout&, const QuantizedWeights&);
  // As 32-bit integers, whose scale is that of the products, so that they are summed as such; as floats where a value
  // is too large for it.
  std::string bias(const std::string& name, const std::vector<float>& values, float activation_scale,
                   const std::vector<float>& weight_scales);

  // The quantized values of a tensor, where it is quantized in one way only.
  std::optional<std::string> quantized(const std::string& tensor) const;

 private:
  struct StoredWeights {
    const QuantizedWeights* weights;
    std::string dequantized;
  };

  std::string divided(const std::string& tensor, const Division&);

  OnnxGraph& graph_;
  std::map<std::tuple<std::string, float, float, Division>, std::string> activations_;
  std::map<std::pair<std::string, Division>, std::string> divided_;
  std::map<std::string, std::vector<StoredWeights>> weights_;
};

}  // namespace lpot
