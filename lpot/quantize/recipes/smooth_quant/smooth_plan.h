// Applies SmoothQuant to the ops of a plan: finds the ops that share a quantizer, and decides where the division
// happens.
//
// Ops that read one tensor with one scheme share its quantizer and therefore its divisors (recipes/smooth_quant.h). The
// division is a multiplication before the quantizer. If the op is the second of a pair of kernels
// (graph/channel_pairs.h), the first kernel's weights can contain the division, which then costs nothing. Examples are
// the value and output products of attention, and two products with a ReLU between them.
//
// Depthwise convolutions have separate weights for each channel, so they can multiply any channel at no cost: their
// weights are scaled per channel anyway. If they are the second of a pair, every channel of their input is divided so
// that it uses the whole range of the quantizer. This gives each channel its own range.
#pragma once
#include <optional>
#include <vector>

#include "lpot/quantize/graph/quantization_target.h"

namespace lpot {

// Sets the divisors of the ops and changes their weights and the constants of kernels before them.
void smooth_plan(const Model&, Rescaling&, std::optional<double> alpha);

}  // namespace lpot
