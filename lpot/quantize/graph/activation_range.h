// The levels of an activation's FakeQuantize.
#pragma once
#include "lpot/calibrate/range.h"
#include "lpot/plan/plan.h"

namespace lpot {

// Ends of the 256 levels, moved so that zero is exactly one of them. A symmetric range has one level more below zero
// (-128..127), an empty one gets a width so that it divides.
Range activation_levels(const Range&, Symmetry);

}  // namespace lpot
