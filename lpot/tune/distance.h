// The distance between the outputs of two models.
#pragma once
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/plan/trial.h"

namespace lpot {

using Outputs = std::vector<std::vector<Tensor>>;  // by batch

// The norm of the difference divided by the norm of the expected values, averaged over the floating-point outputs.
// Infinite when a value is not finite. ChangedAnswers: as Mean for models without class scores.
double distance(const Outputs& outputs, const Outputs& expected, DistanceKind);

}  // namespace lpot
