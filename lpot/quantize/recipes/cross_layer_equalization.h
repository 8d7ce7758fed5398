// Cross-layer equalization: a channel that is far larger than the others determines the range of its tensor, so the
// other channels get few integer levels. Between two kernels with only ReLU and similar ops between them, the
// magnitudes of the channels can be chosen freely: the first kernel divides a channel, the second multiplies it. For
// each channel
//   | d = sqrt(largest weight of the first that produces it / largest weight of the second that reads it)
// makes both largest weights equal. Pairs that share a kernel are processed repeatedly until nothing changes (Nagel et
// al., "Data-Free Quantization Through Weight Equalization and Bias Correction", 2019). Weights are quantized per
// channel here, so the gain is in the activation between the kernels, which has one range for all channels.
//
// Exact in fp32. Limits:
// - The bias of the first kernel is divided too, but does not influence d.
// - The ops between must preserve a per-channel factor (graph/channel_pairs.h). ReLU6 and similar functions do not.
// - Activations change, so the recipe needs its own calibration pass on the equalized model.
#pragma once
#include <vector>

#include "lpot/quantize/graph/edits.h"

namespace lpot {

// The changed weights and biases of the source graph, each once.
std::vector<ConstantEdit> equalize_layers(const Model&);

}  // namespace lpot
