// Writes edits into a copy of OpenVINO's graph.
#pragma once
#include "lpot/model/model.h"
#include "lpot/quantize/graph/edits.h"

namespace lpot {

// Ops that the edits do not name stay as they are.
Model apply(const Model&, const Edits&);

}  // namespace lpot
