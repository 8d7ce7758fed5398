// Gives tensors the same levels where that saves a quantizer.
//
// Between two int8 kernels, values may pass through ops that preserve them: max pooling, concatenation. If the kernels
// before and after such an op read with different levels, the runtime needs a pass that converts the integers, or the
// kernel that writes the tensor writes floats for two quantizers.
#pragma once
#include "lpot/model/model.h"
#include "lpot/quantize/graph/edits.h"

namespace lpot {

// Int8 ops that read a max-pooled tensor get the levels of the int8 ops that read the tensor before pooling, so that
// one quantizer serves both. The two ranges differ little, because pooling keeps the largest values.
void unify_pooled_levels(const Model&, Edits&);

// Int8 ops that read a concatenation, and int8 ops that read one of its inputs, get levels that contain both ranges if
// these differ by little: no range is widened by more than the factor kMaxWidening.
inline constexpr float kMaxWidening = 1.5f;
void unify_concatenated_levels(const Model&, Edits&);

}  // namespace lpot
