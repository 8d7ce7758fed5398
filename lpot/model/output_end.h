// How the values of a model's output are computed, judged by the last ops before it.
//
//   const OutputEnd end = output_end(model, 0);
//   if (end.kind == OutputEndKind::Softmax) std::cout << "probabilities along axis " << *end.axis << "\n";
//
// Ops that only move values (reshape, transpose, convert) are skipped. Softmax and the division by the Euclidean norm
// are also found if the graph computes them from single ops.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "lpot/model/model.h"

namespace lpot {

enum class OutputEndKind {
  Other,
  Softmax,  // also LogSoftmax
  Sigmoid,  // also HardSigmoid
  Tanh,
  UnitNorm,       // divided by its Euclidean norm
  Mean,           // a mean over positions, as the pooling of embeddings
  Normalization,  // layer normalization
  Linear,         // a matrix product or a convolution, with bias
  Resize,
  Index,  // the index of the highest value
};

struct OutputEnd {
  OutputEndKind kind = OutputEndKind::Other;
  std::string op = {};                   // type of the op that decides: "Softmax"
  std::optional<std::size_t> axis = {};  // of the output, for Softmax; unset: unknown
};

OutputEnd output_end(const Model&, std::size_t output);

// Whether the model suppresses overlapping boxes (NMS).
bool has_box_suppression(const Model&);

}  // namespace lpot
