// Bias correction: rounding the weights shifts the mean of each output channel slightly. The bias compensates for it.
//
// The shift of output o is the sum over inputs j of (w'_oj - w_oj) * E[x_j]. Calibration stores the means of the input
// channels, so no further pass over the data is needed. (Nagel et al., "Data-Free Quantization Through Weight
// Equalization and Bias Correction", 2019; with measured means instead of batch norm means.)
//
// Limits: the formula assumes that all taps see data. At the border of a padded convolution fewer taps do.
#pragma once
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/quantize/graph/weights.h"

namespace lpot {

// What to add to each output channel. `means`: the means of the input channels after SmoothQuant's division.
std::vector<float> bias_correction(const WeightMatrix& exact, const QuantizedRows&, const std::vector<float>& means);

}  // namespace lpot
