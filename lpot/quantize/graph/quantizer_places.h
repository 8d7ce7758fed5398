// Which inputs get a quantizer for the ops that edits make int8, and which ops read through the quantizer of others.
#pragma once
#include <vector>

#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/graph/op_index.h"
#include "lpot/quantize/graph/placement.h"

namespace lpot {

struct QuantizerPlaces {
  const OpEdit* edit = nullptr;                  // its levels and divisors are those of the quantizer
  std::vector<ov::Input<ov::Node>> inputs = {};  // in front of these it stands
};

MoveOptions moves_of(const Edits&);

// Ops that read one tensor in the same way are quantized together, so that their quantizer can move up.
std::vector<QuantizerPlaces> quantizer_places(const OpIndex&, const Edits&);

// A kernel writes integers only when nobody reads its output in fp32; a second pass over the output makes them
// otherwise. So where other int8 kernels read it in one way, and all else that reads it hands values on (max pooling,
// the greatest along an axis), that reads the integers too.
std::vector<SharedRead> shared_reads(const Model&, const Edits&);

}  // namespace lpot
