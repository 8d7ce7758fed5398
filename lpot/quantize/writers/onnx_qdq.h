// The quantizing nodes: QuantizeLinear and DequantizeLinear.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lpot/calibrate/range.h"
#include "lpot/quantize/graph/bias.h"
#include "lpot/quantize/graph/weights.h"
#include "lpot/quantize/writers/onnx_graph.h"
#include "lpot/quantize/writers/onnx_kernel.h"

namespace lpot {

// The per-channel division of an activation before its quantizer.
struct Division {
  std::vector<float> divisors;    // empty: none
  std::size_t trailing_dims = 0;  // number of dimensions after the channel dimension

  bool operator<(const Division& other) const {
    return std::tie(divisors, trailing_dims) < std::tie(other.divisors, other.trailing_dims);
  }
};

class QdqNodes {
 public:
  explicit QdqNodes(OnnxGraph& graph) : graph_(graph) {}

  // Each function returns the name of the tensor to read instead.
  std::string activation(const std::string& tensor, const Range& levels, const Division&);
  // Weights that several ops share are stored once if they are quantized the same way. The object keeps a reference to
  // them.
  std::string weights(const std::string& name, const FileLayout&, const QuantizedWeights&);
  std::string bias(const std::string& name, const IntegerBias&);

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
