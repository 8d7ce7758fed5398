// Residual sums: where a convolution and what bypasses it are both integers, the convolution's kernel adds them itself;
// in fp32 the sum is a pass of its own over both. So the convolution's output gets a quantizer too, and the sum reads
// the bypass through the quantizer that other ops have put there.
#pragma once
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/quantize/graph/edits.h"

namespace lpot {

// Of the sums whose convolution is among `ops` and whose bypass one of `ops` reads as integers.
std::vector<SumEdit> sum_edits(const Model&, const std::vector<OpEdit>& ops, const Statistics&);

}  // namespace lpot
