// How far a model's outputs are from those of another.
#pragma once
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot {

using Outputs = std::vector<std::vector<Tensor>>;  // by batch

// Means over all values of an output. A few samples that are far off weigh much in the second.
enum class DistanceKind { Mean, RootMeanSquare };

// The difference over the size of what is expected, its mean over the floating-point outputs. Infinite when a value is
// not finite.
double distance(const Outputs& outputs, const Outputs& expected, DistanceKind);

}  // namespace lpot
