// SmoothQuant: a few channels of an activation with very large values determine its range, so the other channels get
// few integer levels. SmoothQuant moves this magnitude into the weights, which have one scale per output channel and
// tolerate it better.
//
// Channel j of the activation is divided by d_j, and the weights that read it are multiplied by d_j. This is exact in
// fp32. With
//   | d_j = max|x_j|^alpha / max|w_j|^(1 - alpha)
// alpha 0 leaves the outliers in the activation and alpha 1 moves them into the weights (Xiao et al., "SmoothQuant",
// 2022). The paper uses one alpha for the whole model. Here each tensor gets the alpha with the smallest expected noise
// of the outputs,
//   | activation: step^2 / 12 * sum of w'^2, weights: step_row^2 / 12 * sum of E[x'^2],
// computed from the calibration statistics. A tensor that gains nothing is not smoothed. The division is a
// multiplication before the quantizer, which the runtime fuses with it, or part of the previous kernel
// (smooth_quant/smooth_plan.h). So SmoothQuant works after any op: layer norm, the weighted sum of values in attention,
// or an activation function.
//
// Limits: it needs the range of each channel, so it uses the minimum and maximum whatever range algorithm is
// configured.
#pragma once
#include <optional>
#include <vector>

#include "lpot/calibrate/range.h"
#include "lpot/calibrate/statistics.h"
#include "lpot/quantize/graph/weights.h"

namespace lpot {

// An op that reads the tensor: its weights, and the largest integer of a weight.
struct SmoothedReader {
  const WeightMatrix* weights = nullptr;
  int weight_limit = 127;
};

// The divisors of the tensor's channels; empty when smoothing removes less than a tenth of the noise.
std::vector<float> smooth_divisors(const TensorStatistics&, Symmetry, const std::vector<SmoothedReader>&,
                                   std::optional<double> alpha = {});

// The range of the tensor after the division.
Range divided_range(const TensorStatistics&, const std::vector<float>& divisors, Symmetry);

}  // namespace lpot
