// Finds the inputs that get a quantizer: those of int8 ops and of the other ops that read integers (InputEdit). Moves
// quantizers up, so that tensors stay int8 from one int8 kernel to the next.
#pragma once
#include <vector>

#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/graph/op_index.h"
#include "lpot/quantize/graph/placement.h"

namespace lpot {

struct QuantizerPlace {
  Range levels;
  const OpEdit* divided = nullptr;          // the op for which the tensor is divided before; nullptr: no division
  std::vector<ov::Input<ov::Node>> inputs;  // the quantizer is inserted before these; all read the same tensor
};

MoveOptions move_options(const Edits&);

// Ops that read the same tensor with the same levels share one quantizer. A quantizer that all readers of a tensor
// share moves up through ops that preserve values.
std::vector<QuantizerPlace> quantizer_places(const OpIndex&, const Edits&);

// The inputs of ops without weights to which quantizers move, for writers that do not move them: such files get both
// quantizers. So all files compute the same values, and a kernel before such an op can write integers in every runtime.
// Ops that only change the layout are left out, because runtimes move quantizers through them.
std::vector<InputEdit> moved_quantizers(const Model&, const Edits&);

}  // namespace lpot
