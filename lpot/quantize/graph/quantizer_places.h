// Finds the inputs that get a quantizer for the int8 ops of the edits, and the ops that share another op's quantizer.
#pragma once
#include <vector>

#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/graph/op_index.h"
#include "lpot/quantize/graph/placement.h"

namespace lpot {

struct QuantizerPlaces {
  const OpEdit* edit = nullptr;                  // the quantizer has its levels and divisors
  std::vector<ov::Input<ov::Node>> inputs = {};  // the quantizer is inserted before these
};

MoveOptions move_options(const Edits&);

// Ops that read the same tensor with the same levels share one quantizer, so that it can move up.
std::vector<QuantizerPlaces> quantizer_places(const OpIndex&, const Edits&);

// A kernel writes int8 output only if no op reads the output in fp32; otherwise a second pass quantizes it. If int8
// kernels share one quantizer on a tensor and all its other readers preserve values (max pooling, ReduceMax), these
// other readers can use that quantizer too. Returns them.
std::vector<SharedRead> shared_reads(const Model&, const Edits&);

}  // namespace lpot
