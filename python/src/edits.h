// Converts the edits of a plan to Python objects, for writers of framework formats.
#pragma once
#include "lpot/quantize/graph/edits.h"
#include "python/src/arrays.h"

namespace lpot::python {

// {"ops": [{op, type, low, high, weights, ...}], "products": [...], "sums": [...], "reads": [...], "constants": [...],
//  "tables": [...]}
py::dict edits_of(const Model& source, const Edits&);

// The fp32 weights of an op, with batch norm folded in. Throws ModelError if the op has no constant weights.
py::array source_weights(const Model& source, const std::string& op);

}  // namespace lpot::python
