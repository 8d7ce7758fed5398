// What a plan comes down to, for writers in Python.
#pragma once
#include "lpot/quantize/graph/edits.h"
#include "python/src/arrays.h"

namespace lpot::python {

// {"ops": [{op, type, low, high, weights, scales, ...}], "products": [...], "constants": [...], "tables": [...]}
py::dict edits_of(const Model& source, const Edits&);

// The weights of an op before they are quantized, with what was folded into them.
py::array source_weights(const Model& source, const std::string& op);

}  // namespace lpot::python
