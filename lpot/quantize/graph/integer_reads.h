// Finds ops without weights that should read integers.
//
// A kernel writes integers only if no op reads its output in fp32. Otherwise its output takes four times the memory
// traffic, and a second pass quantizes it for the int8 kernels that read it. Pooling, reductions and ops that preserve
// values can read integers as well as floats. So they get a quantizer where this lets the op before them write
// integers:
// - Int8 kernels read the same tensor and share one quantizer: the other readers use it too.
// - Only averages (average pooling, ReduceMean) read the tensor, and int8 kernels read the averages. The noise of this
//   quantizer is averaged too, so it is small.
// - Concatenations are connected, and ops without weights read them (graph/concat_regions.h): all share one quantizer.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lpot/quantize/graph/edits.h"

namespace lpot {

// The tensors whose ranges must be observed for these reads: those before averages that only possible int8 ops read
// (other averages, such as those of layer norms, never read integers), and the first and
// last ones of connected concatenations.
std::set<std::string> tensors_of_integer_reads(const Model&);

// The levels of a tensor for an op without weights: its whole range. nullopt: no statistics.
std::optional<Range> levels_of(const std::string& tensor, const Statistics&);

// `edits` has the edits of all ops and sums.
std::vector<InputEdit> integer_reads(const Model&, const Edits& edits, const Statistics&);

}  // namespace lpot
