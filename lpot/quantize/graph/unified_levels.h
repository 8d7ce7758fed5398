// Gives tensors the same levels where that saves a quantizer.
//
// Between two int8 kernels, values may pass through ops that preserve them: max pooling, concatenation, split. If the
// kernels before and after such an op read with different levels, the runtime needs a pass that converts the integers,
// or the kernel that writes the tensor writes floats for two quantizers.
#pragma once
#include "lpot/calibrate/statistics.h"
#include "lpot/model/model.h"
#include "lpot/quantize/graph/edits.h"

namespace lpot {

// Int8 ops that read a max-pooled tensor get the levels of the int8 ops that read the tensor before pooling, so that
// one quantizer serves both. The two ranges differ little, because pooling keeps the largest values.
void unify_pooled_levels(const Model&, Edits&);

// Tensors that concatenations and splits connect, through ops that preserve values, get common levels as far as the
// noise that this adds stays below a bound (graph/level_groups.h). Only where all readers read integers.
void unify_connected_levels(const Model&, const Statistics&, Edits&);

}  // namespace lpot
