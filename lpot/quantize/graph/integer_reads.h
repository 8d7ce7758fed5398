// Finds ops without weights that should read integers.
//
// A kernel writes integers only if no op reads its output in fp32. Otherwise its output takes four times the memory
// traffic, and a second pass quantizes it for the int8 kernels that read it. Pooling, reductions and ops that preserve
// values can read integers as well as floats. So they get a quantizer where this lets the op before them write
// integers:
// - Int8 kernels read the same tensor and share one quantizer: the other readers use it too.
// - Only averages (average pooling, ReduceMean) read the tensor, and int8 kernels read the averages. The noise of this
//   quantizer is averaged too, so it is small.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lpot/quantize/graph/edits.h"

namespace lpot {

// The tensors of averages that only possible int8 ops read. Their ranges must be observed. Other averages, such as
// those of layer norms, never read integers.
std::set<std::string> averaged_tensors(const Model&);

// The levels of a tensor for an op without weights: its whole range. nullopt: no statistics.
std::optional<Range> levels_of(const std::string& tensor, const Statistics&);

// Int8 ops that read a max-pooled tensor get the levels of the int8 ops that read the tensor before pooling, so that
// one quantizer serves both. The two ranges differ little, because pooling keeps the largest values.
void unify_pooled_levels(const Model&, Edits&);

// `edits` has the edits of all ops and sums.
std::vector<InputEdit> integer_reads(const Model&, const Edits& edits, const Statistics&);

}  // namespace lpot
