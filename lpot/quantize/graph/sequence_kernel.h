// The numbers of recurrent sequences that run in the int8 kernel of the CPU plug-in. sequences.h says what they share.
#pragma once
#include <vector>

#include "lpot/calibrate/range.h"
#include "lpot/calibrate/statistics.h"
#include "lpot/plan/plan.h"
#include "lpot/quantize/graph/edits.h"

namespace ov {
class Node;
}  // namespace ov

namespace lpot {

Range join(const Range&, const Range&);  // the smallest range that contains both

// The levels of a state. Zero is a level.
Range sequence_levels(Range, Symmetry);

// The weights of one input of the gates as rows, one per direction and channel of the gates.
struct GateWeights {
  // `input`: the statistics of the tensor that they multiply.
  GateWeights(std::vector<float> values, std::size_t columns, const TensorStatistics& input);

  std::vector<float> values;
  std::size_t columns = 0;
  std::vector<float> largest;  // magnitude in each row
  double squares = 0;          // sum of all squares
  double output_power = 0;     // expected sum of the squares of all products
  double input_power = 0;      // sum of the mean squares of the input's channels

  std::size_t rows() const { return largest.size(); }
};

struct SequenceNumbers {
  const ov::Node* node = nullptr;
  GateWeights w, r;
  Range x, h;
};

// The edit with the least expected noise. `plan`: of the sequence.
SequenceEdit kernel_edit(const SequenceNumbers&, const OpPlan& plan);

}  // namespace lpot
