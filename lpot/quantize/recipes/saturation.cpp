#include "lpot/quantize/recipes/saturation.h"

#include <algorithm>
#include <cmath>

namespace lpot {
namespace {

constexpr int kMost = 32767;

int product(std::int8_t weight, int level) { return static_cast<int>(weight) * level; }

}  // namespace

std::vector<int> largest_levels(const TensorStatistics& statistics, const Range& levels) {
  const float step = (levels.high - levels.low) / 255.0f;
  std::vector<int> largest;
  for (const ChannelStatistics& channel : statistics.channels())
    largest.push_back(static_cast<int>(std::clamp(std::ceil((channel.max - levels.low) / step), 0.0f, 255.0f)));
  return largest;
}

bool can_saturate(const WeightMatrix& weights, const QuantizedRows& quantized, const std::vector<int>& largest) {
  const std::size_t taps = weights.taps(), channels = weights.columns() / taps;
  for (std::size_t row = 0; row < weights.rows(); ++row) {
    const std::int8_t* values = quantized.values.data() + row * weights.columns();
    const int* levels = largest.data() + weights.first_input(row);
    // The kernels take input channels in pairs, for each tap.
    for (std::size_t tap = 0; tap < taps; ++tap)
      for (std::size_t i = 0; i + 1 < channels; i += 2) {
        const int first = product(values[i * taps + tap], levels[i]);
        const int second = product(values[(i + 1) * taps + tap], levels[i + 1]);
        const int high = std::max(first, 0) + std::max(second, 0), low = std::min(first, 0) + std::min(second, 0);
        if (high > kMost || low < -kMost - 1) return true;
      }
  }
  return false;
}

}  // namespace lpot
