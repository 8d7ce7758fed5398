// Applies edits to a copy of OpenVINO's graph.
#pragma once
#include <string>

#include "lpot/model/model.h"
#include "lpot/quantize/graph/edits.h"

namespace lpot {

// Ops without an edit do not change.
Model apply(const Model&, const Edits&);

// The same, but this recurrent sequence is a loop of f32 products on the same quantized numbers. Only to check its int8
// kernel (quantize/sequence_check.h).
Model apply_with_f32_sequence(const Model&, const Edits&, const std::string& sequence);

}  // namespace lpot
