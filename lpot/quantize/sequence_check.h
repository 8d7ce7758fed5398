// Checks that the int8 sequences of a model compute what their numbers say.
//
//   for (const SequenceMismatch& found : mismatched_sequences(model, resolve(model, plan, statistics), inputs))
//     std::cout << found.op << ": " << found.reason << "\n";
//
// The int8 kernel of the CPU plug-in silently ignores numbers that it does not support (graph/sequences.h). So the int8
// model is compared with the same model in which one sequence is a loop of f32 products on the same quantized weights
// and levels. A correct kernel differs only in single roundings.
#pragma once
#include <string>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/quantize/graph/edits.h"

namespace lpot {

struct SequenceMismatch {
  std::string op;
  std::string reason;  // for a message
};

// The sequences that must not run in int8. `inputs`: one sample of the model's inputs.
std::vector<SequenceMismatch> mismatched_sequences(const Model&, Edits, const std::vector<Tensor>& inputs);

}  // namespace lpot
