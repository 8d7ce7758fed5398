// Quantization of a constant, plain and apart from any graph.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/quantize/plan.h"

namespace lpot {

struct QuantizedWeights {
  std::vector<std::int8_t> values;  // as many as the source has
  std::vector<float> scales;        // one per channel, or one
  Shape scale_shape;                // broadcasts against the weights
};

// Symmetric: value = round(weight / scale), scale = largest magnitude / limit. `channel_axes`: dimensions of `shape`
// that the output channels run over, used with Granularity::PerChannel.
QuantizedWeights quantize_weights(const std::vector<float>& weights, const Shape& shape,
                                  const std::vector<std::size_t>& channel_axes, const TensorScheme&);

}  // namespace lpot
