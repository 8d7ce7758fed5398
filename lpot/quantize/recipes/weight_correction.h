// Weight correction: rounding and clipping change the spread of a channel's weights a little, and with it the spread of
// its outputs. The channel's scale is corrected so that the spread is what it was (LPOT's `weight_correction`;
// Finkelstein et al., "Fighting Quantization Bias With Bias", 2019). The mean is the business of bias correction.
//
// Limits: needs a scale for each channel; weights of one scale stay as they are.
#pragma once
#include "lpot/quantize/graph/weights.h"

namespace lpot {

QuantizedRows correct_weights(const WeightMatrix& exact, QuantizedRows);

}  // namespace lpot
