// Residual sums: a convolution's kernel can add the tensor that bypasses it if both are integers. In fp32 the addition
// is a separate pass over both tensors. So the convolution's output gets a quantizer too, and the addition reads the
// bypass through the quantizer that other ops already have on that tensor.
#pragma once
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/quantize/graph/edits.h"

namespace lpot {

// For the sums whose convolution is one of `ops` and whose bypass one of `ops` reads as integers.
std::vector<SumEdit> sum_edits(const Model&, const std::vector<OpEdit>& ops, const Statistics&);

}  // namespace lpot
