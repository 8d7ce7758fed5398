// Writes recurrent sequences (LSTM, GRU) in int8. graph/sequences.h describes the two forms.
#pragma once
#include <memory>

#include "lpot/quantize/graph/edits.h"

namespace ov {
class Node;
}  // namespace ov

namespace lpot {

// Changes the sequence in its graph.
void write_sequence(const std::shared_ptr<ov::Node>&, const SequenceEdit&);

// The same numbers with f32 kernels, as a loop in which quantizers round X and H. Only to check int8 kernels.
void write_sequence_in_f32(const std::shared_ptr<ov::Node>&, const SequenceEdit&);

}  // namespace lpot
