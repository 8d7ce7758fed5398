// Bias correction: rounded weights shift the mean of each output channel by a little; the bias takes that back.
//
// The shift of output o is the sum over inputs j of (w'_oj - w_oj) * E[x_j], with the means of the input's channels
// that calibration keeps, so no further pass over the data is needed (Nagel et al., "Data-Free Quantization Through
// Weight Equalization and Bias Correction", 2019, with measured means in place of those of batch norm).
//
// Limits: at the border of a padded convolution fewer taps see data than is assumed here.
#pragma once
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/quantize/graph/weights.h"

namespace lpot {

// What to add to each output channel. `means`: of the input's channels, as the weights see them.
std::vector<float> bias_correction(const WeightMatrix& exact, const QuantizedRows&, const std::vector<float>& means);

}  // namespace lpot
