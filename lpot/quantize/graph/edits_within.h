// Edits of some ops of a model, for example of those that a file format can change.
//
//   Edits edits;
//   const Edits written = edits_of_main_graph(model, edits);
//
#pragma once
#include "lpot/quantize/graph/edits.h"

namespace lpot {

// The edits of ops and constants that this graph, which is a part of the edited one, or its bodies contain.
Edits edits_within(const ov::Model&, Edits);

// The edits without those of ops inside If, Loop and TensorIterator.
Edits edits_of_main_graph(const Model&, Edits);

}  // namespace lpot
