// Residual sums: a convolution's kernel can add the tensor that bypasses it if both are integers. In fp32 the addition
// is a separate pass over both tensors. So the convolution's output gets a quantizer too. The addition reads the bypass
// through the quantizer that other ops already have on that tensor, or through a separate one if the bypass is the
// output of another convolution that only this sum reads.
#pragma once
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/quantize/graph/edits.h"

namespace lpot {

// Two edits for each sum whose convolution is one of `ops`, and whose bypass one of `ops` reads or writes.
std::vector<InputEdit> sum_edits(const Model&, const std::vector<OpEdit>& ops, const Statistics&);

}  // namespace lpot
