// Applies edits to a copy of OpenVINO's graph.
#pragma once
#include "lpot/model/model.h"
#include "lpot/quantize/graph/edits.h"

namespace lpot {

// Ops without an edit do not change.
Model apply(const Model&, const Edits&);

}  // namespace lpot
