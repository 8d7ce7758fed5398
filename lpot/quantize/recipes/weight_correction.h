// Weight correction: rounding and clipping change the variance of a channel's weights slightly, and with it the
// variance of its outputs. The channel's scale is corrected so that the variance stays the same (LPOT's
// `weight_correction`; Finkelstein et al., "Fighting Quantization Bias With Bias", 2019). Bias correction handles the
// mean.
//
// Limits: needs one scale per channel. Weights with a single scale do not change.
#pragma once
#include "lpot/quantize/graph/weights.h"

namespace lpot {

QuantizedRows correct_weights(const WeightMatrix& exact, QuantizedRows);

}  // namespace lpot
