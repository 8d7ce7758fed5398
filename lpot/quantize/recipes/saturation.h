// Saturation: CPUs with AVX2 but without VNNI multiply unsigned by signed 8-bit integers and add each two neighbouring
// products in 16 bits (vpmaddubsw), where 32,767 is the end: 255 * 127 * 2 does not fit. With half the range of weights
// nothing can overflow, at the price of a bit. Here it is predicted which ops can overflow at all, so that the others
// keep the whole range: the largest integer of each channel is known from its statistics.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lpot/calibrate/range.h"
#include "lpot/calibrate/statistics.h"
#include "lpot/model/model.h"
#include "lpot/quantize/plan.h"
#include "lpot/quantize/space.h"
#include "lpot/quantize/weights.h"

namespace lpot {

// The largest integer that each channel of a tensor, divided by `divisors` where there are some, takes on these 256
// levels.
std::vector<int> largest_levels(const TensorStatistics&, const std::vector<float>& divisors, const Range& levels);

// Whether two neighbouring products can exceed 16 bits for some input within the observed ranges.
bool can_saturate(const WeightMatrix&, const QuantizedRows&, const std::vector<int>& largest_levels);

// The ops of a plan, all of whose weights take the whole range, that can saturate.
std::vector<std::string> saturating_ops(const Model&, const Plan&, const Statistics&);

using StatisticsOf = std::function<const Statistics&(const Plan&)>;

// Gives the choices of a space of half ranges the bits that they have in `whole`, the same space without that
// restriction, wherever nothing can saturate: checked for each of `schemes`, with every sampling size and recipe that a
// plan may have.
void widen_weights(SearchSpace& narrow, const SearchSpace& whole, const std::vector<OpPlan>& schemes, const Model&,
                   const StatisticsOf&);

}  // namespace lpot
