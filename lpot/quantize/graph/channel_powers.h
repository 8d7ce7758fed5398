// The power of the channels of an activation, from its statistics.
#pragma once
#include <cstddef>
#include <vector>

#include "lpot/calibrate/statistics.h"

namespace lpot {

// The mean square of every channel that an op reads, after the division by `divisors` (empty: no division). Without
// statistics by channel, all channels get the mean.
std::vector<double> channel_powers(const TensorStatistics& input, std::size_t channels,
                                   const std::vector<float>& divisors = {});

}  // namespace lpot
