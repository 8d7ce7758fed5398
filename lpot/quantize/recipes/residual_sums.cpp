#include "lpot/quantize/recipes/residual_sums.h"

#include <algorithm>

#include "lpot/quantize/activation_range.h"
#include "lpot/quantize/placement.h"

namespace lpot {

std::vector<SumEdit> sum_edits(const Model& model, const std::vector<OpEdit>& ops, const Statistics& statistics) {
  std::vector<SumEdit> edits;
  for (const ResidualSum& sum : residual_sums(model)) {
    const auto observed = statistics.find(sum.from_convolution);
    const bool is_int8 = std::any_of(
        ops.begin(), ops.end(), [&](const OpEdit& op) { return op.op == sum.convolution && !op.activation.empty(); });
    const bool is_read = std::any_of(ops.begin(), ops.end(), [&](const OpEdit& op) {
      return op.activation == sum.bypass && op.written_divisors().empty();
    });
    if (!is_int8 || !is_read || observed == statistics.end()) continue;
    const Range range = find_range(observed->second, Algorithm::MinMax, {.symmetry = Symmetry::Asymmetric});
    edits.push_back({sum.op, sum.side, activation_levels(range, Symmetry::Asymmetric)});
  }
  return edits;
}

}  // namespace lpot
