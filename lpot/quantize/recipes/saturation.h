// Saturation: CPUs with AVX2 but without VNNI multiply unsigned by signed 8-bit integers and add each two neighbouring
// products in 16 bits (vpmaddubsw), where 32,767 is the end: 255 * 127 * 2 does not fit. With half the range of weights
// nothing can overflow, at the price of a bit. Here it is predicted which ops can overflow at all, so that the others
// keep the whole range: the largest integer of each channel is known from its statistics.
#pragma once
#include "lpot/calibrate/range.h"
#include "lpot/calibrate/statistics.h"
#include "lpot/quantize/weights.h"

namespace lpot {

// The largest integer that each channel of a tensor takes on these 256 levels.
std::vector<int> largest_levels(const TensorStatistics&, const Range& levels);

// Whether two neighbouring products can exceed 16 bits for some input within the observed ranges.
bool can_saturate(const WeightMatrix&, const QuantizedRows&, const std::vector<int>& largest_levels);

}  // namespace lpot
