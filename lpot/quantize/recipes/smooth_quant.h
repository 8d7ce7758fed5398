// SmoothQuant: a few channels of an activation that are far larger than the others would take the whole range of its
// integers. Their size is moved into the weights, which have a scale for each output channel and bear it better.
//
// Channel j of the activation is divided by d_j and the weights that read it are multiplied by d_j: exact in fp32. With
//   | d_j = max|x_j|^alpha / max|w_j|^(1 - alpha)
// alpha 0 leaves all the trouble with the activation, 1 with the weights (Xiao et al., "SmoothQuant", 2022). There one
// alpha is chosen for a model. Here each tensor gets the one whose expected noise in the outputs is least,
//   | activation: step^2 / 12 * sum of w'^2, weights: step_row^2 / 12 * sum of E[x'^2],
// worked out from the kept statistics, and none at all where nothing is gained. The division is a
// multiplication in front of the quantizer, with which the runtime fuses it, or part of the kernel in front
// (smooth_plan.h). So it works whatever stands in front: layer norm,
// the mix of values in attention, or an activation function.
//
// Limits: needs the range of each channel, so it uses the smallest and largest value whatever range algorithm is
// chosen.
#pragma once
#include <optional>
#include <vector>

#include "lpot/calibrate/range.h"
#include "lpot/calibrate/statistics.h"
#include "lpot/quantize/graph/weights.h"

namespace lpot {

// A reader of the tensor: its weights, and how many integer levels they take on each side of zero.
struct SmoothedReader {
  const WeightMatrix* weights = nullptr;
  int weight_limit = 127;
};

// What the channels of a tensor are divided by; empty where smoothing gains less than a tenth of the noise.
std::vector<float> smooth_divisors(const TensorStatistics&, Symmetry, const std::vector<SmoothedReader>&,
                                   std::optional<double> alpha = {});

// The range of the tensor after the division.
Range divided_range(const TensorStatistics&, const std::vector<float>& divisors, Symmetry);

}  // namespace lpot
