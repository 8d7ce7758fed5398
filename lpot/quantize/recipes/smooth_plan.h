// SmoothQuant over the ops of a plan: who shares a quantizer, and who divides.
//
// Ops that read one tensor in one scheme share its quantizer, and so its divisors (smooth_quant.h). The division is a
// multiplication in front of the quantizer, unless a pair of kernels (channel_pairs.h) lets the first one do it: the
// value and the output product of attention, two products with a ReLU between. Then it costs nothing.
#pragma once
#include <optional>
#include <vector>

#include "lpot/quantize/graph/quantization_target.h"

namespace lpot {

// Sets the divisors of the ops, changes their weights, and the constants of kernels in front.
void smooth_plan(const Model&, Rescaling&, std::optional<double> alpha);

}  // namespace lpot
