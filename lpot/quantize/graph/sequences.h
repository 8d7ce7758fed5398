// Recurrent sequences (LSTM, GRU) in int8.
//
// The int8 kernel of the CPU plug-in quantizes the state H after every step, and its output is the quantized H. It
// reads the scale and the zero point of the input X and uses them for H too. It reads the scales of the weights W and
// uses them for R too. For an LSTM it swaps the gates f and i, but not their scales. And it reuses the kernel of a
// sequence, with its scales, for all sequences of the same size. Other numbers are ignored without an error, and the
// outputs are wrong. So this file chooses numbers for which the kernel is correct:
// - X / s and H have the same levels. s is a power of two, and W * s are the weights of X / s.
// - W * s and R have the same scale in each row, and rows of the gates f and i share it.
// - A sequence with the size of an earlier one gets a few more inputs that are zero, so that it has its own kernel.
//   Sharing levels and scales instead doubles the error of a text recognition network with two LSTMs.
// H is the output of the sequence, so the statistics of that tensor give its range.
//
// There is no int8 kernel for a GRU with linear_before_reset. It becomes a loop (TensorIterator) of int8 matrix
// products, in which every tensor has its own scale.
#pragma once
#include <vector>

#include "lpot/calibrate/observe.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/graph/quantizable_ops.h"

namespace ov {
class Node;
template <typename NodeType>
class Output;
}  // namespace ov

namespace lpot {

// The inputs of an LSTMSequence or a GRUSequence by number.
struct SequenceInputs {
  std::size_t lengths = 0, weights = 0, state_weights = 0, bias = 0;  // X is input 0, H is input 1
  bool has_cell_state = false;                                        // an LSTM: C is input 2
};
SequenceInputs sequence_inputs(const ov::Node&);

// In topological order. Sequences need constant weights and the usual activation functions, and must read all steps of
// their input.
std::vector<QuantizableOp> recurrent_sequences(const Model&);

// The tensors to observe for the ranges of sequences: X, the output Y, and H where it depends on the model's inputs.
std::vector<ObservationPoint> sequence_points(const Model&);

// For the sequences that the plan sets to int8, in topological order. Throws DataError when a tensor has no statistics.
std::vector<SequenceEdit> sequence_edits(const Model&, const Plan&, const Statistics&);

// Whether the values of a tensor depend on the model's inputs, and not only on their shapes.
bool depends_on_inputs(const ov::Output<ov::Node>&);

}  // namespace lpot
