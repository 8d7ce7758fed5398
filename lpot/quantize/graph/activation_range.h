// The quantization levels of an activation (its FakeQuantize).
#pragma once
#include "lpot/calibrate/range.h"
#include "lpot/plan/plan.h"

namespace lpot {

// Returns the lowest and the highest of the 256 levels, adjusted so that zero is exactly one level. A symmetric range
// has one extra level below zero (-128..127). An empty range becomes [0, 1] so that the scale is not zero.
Range activation_levels(const Range&, Symmetry);

}  // namespace lpot
