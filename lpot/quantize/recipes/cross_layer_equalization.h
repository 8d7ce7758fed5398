// Cross-layer equalization: a channel that is far larger than the others takes the whole range of its tensor's
// integers. Between two kernels with nothing but ReLU and the like between them the channels' sizes are a matter of
// choice: what the first divides the second multiplies. For each channel
//   | d = sqrt(largest weight of the first that makes it / largest weight of the second that reads it)
// makes both largest weights equal; pairs that share a kernel are gone over until nothing changes any more (Nagel et
// al., "Data-Free Quantization Through Weight Equalization and Bias Correction", 2019). Weights have a scale for each
// channel here, so what it helps is the activation between, whose range is one for all channels.
//
// Exact in fp32. Limits: the first one's bias is divided too, but does not count; what lies between must let a factor
// through (channel_pairs.h), so there is nothing to do at ReLU6 and other functions with bends away from zero. The
// values change, so statistics are taken from the equalized model.
#pragma once
#include <vector>

#include "lpot/quantize/graph/edits.h"

namespace lpot {

// The weights and biases of the source graph that change, each once.
std::vector<ConstantEdit> equalize_layers(const Model&);

}  // namespace lpot
