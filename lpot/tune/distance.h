// How far a model's outputs are from those of another.
#pragma once
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/plan/trial.h"

namespace lpot {

using Outputs = std::vector<std::vector<Tensor>>;  // by batch

// The difference over the size of what is expected, its mean over the floating-point outputs. Infinite when a value is
// not finite.
double distance(const Outputs& outputs, const Outputs& expected, DistanceKind);

}  // namespace lpot
