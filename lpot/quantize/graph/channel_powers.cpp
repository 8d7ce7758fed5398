#include "lpot/quantize/graph/channel_powers.h"

namespace lpot {

std::vector<double> channel_powers(const TensorStatistics& input, std::size_t channels,
                                   const std::vector<float>& divisors) {
  std::vector<double> powers;
  for (const ChannelStatistics& channel : input.channels()) powers.push_back(channel.mean_square());
  if (powers.size() != channels) {  // no per-channel statistics: use the mean for all channels
    double mean = 0;
    for (const double power : powers) mean += power / static_cast<double>(powers.size());
    powers.assign(channels, mean);
  }
  for (std::size_t i = 0; i < divisors.size(); ++i) powers[i] /= static_cast<double>(divisors[i] * divisors[i]);
  return powers;
}

}  // namespace lpot
