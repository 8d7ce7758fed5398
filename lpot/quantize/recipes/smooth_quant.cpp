#include "lpot/quantize/recipes/smooth_quant.h"

#include <algorithm>
#include <cmath>

namespace lpot {
namespace {

constexpr double kWorthIt = 0.9;        // of the noise without smoothing
constexpr std::size_t kMostRows = 512;  // of a reader's weights, for the estimate

// Of the weights that read a channel, over all readers.
struct ChannelWeights {
  double largest = 0;
  double squares = 0;
};

std::vector<ChannelWeights> channel_weights(const std::vector<SmoothedReader>& readers, std::size_t channels) {
  std::vector<ChannelWeights> found(channels);
  for (const SmoothedReader& reader : readers) {
    const WeightMatrix& weights = *reader.weights;
    for (std::size_t row = 0; row < weights.rows(); ++row)
      for (std::size_t i = 0; i < weights.columns(); ++i) {
        const double value = static_cast<double>(weights.row(row)[i]);
        ChannelWeights& channel = found[weights.first_input(row) + i / weights.taps()];
        channel.largest = std::max(channel.largest, std::fabs(value));
        channel.squares += value * value;
      }
  }
  return found;
}

double largest_magnitude(const ChannelStatistics& channel) {
  return std::max(std::fabs(static_cast<double>(channel.min)), std::fabs(static_cast<double>(channel.max)));
}

std::vector<float> divisors_for(const std::vector<ChannelStatistics>& channels,
                                const std::vector<ChannelWeights>& weights, double alpha) {
  double largest_weight = 0, largest_value = 0;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    largest_weight = std::max(largest_weight, weights[i].largest);
    largest_value = std::max(largest_value, largest_magnitude(channels[i]));
  }
  std::vector<float> divisors(channels.size(), 1.0f);
  if (largest_weight == 0 || largest_value == 0) return divisors;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    // A channel without values or weights does no harm; it must not get a divisor out of all proportion.
    const double value = std::max(largest_magnitude(channels[i]), largest_value * 1e-5);
    const double weight = std::max(weights[i].largest, largest_weight * 1e-5);
    divisors[i] = static_cast<float>(std::pow(value, alpha) / std::pow(weight, 1 - alpha));
  }
  return divisors;
}

// The expected square of the outputs' error, summed over the readers' outputs.
double expected_noise(const TensorStatistics& statistics, Symmetry symmetry, const std::vector<SmoothedReader>& readers,
                      const std::vector<ChannelWeights>& weights, const std::vector<float>& divisors) {
  const Range range = divided_range(statistics, divisors, symmetry);
  const double step = static_cast<double>(range.high - range.low) / 255.0;
  double noise = 0, power = 0;
  for (std::size_t i = 0; i < divisors.size(); ++i) {
    const double divisor = static_cast<double>(divisors[i]);
    noise += step * step / 12.0 * weights[i].squares * divisor * divisor;
    power += statistics.channels()[i].mean_square() / (divisor * divisor);
  }
  for (const SmoothedReader& reader : readers) {
    const WeightMatrix& matrix = *reader.weights;
    const std::size_t stride = (matrix.rows() + kMostRows - 1) / kMostRows;
    double squared_steps = 0;
    for (std::size_t row = 0; row < matrix.rows(); row += stride) {
      const float* values = matrix.row(row);
      const float* factors = divisors.data() + matrix.first_input(row);
      float largest = 0;
      for (std::size_t i = 0; i < matrix.columns(); ++i)
        largest = std::max(largest, std::fabs(values[i] * factors[i / matrix.taps()]));
      const double row_step = static_cast<double>(largest) / reader.weight_limit;
      squared_steps += row_step * row_step;
    }
    noise += squared_steps * static_cast<double>(stride) / 12.0 * power * static_cast<double>(matrix.taps());
  }
  return noise;
}

}  // namespace

Range divided_range(const TensorStatistics& statistics, const std::vector<float>& divisors, Symmetry symmetry) {
  Range range;
  for (std::size_t i = 0; i < divisors.size(); ++i) {
    range.low = std::min(range.low, statistics.channels()[i].min / divisors[i]);
    range.high = std::max(range.high, statistics.channels()[i].max / divisors[i]);
  }
  if (symmetry == Symmetry::Symmetric && range.low < 0) {
    range.high = std::max(range.high, -range.low);
    range.low = -range.high;
  }
  return range;
}

std::vector<float> smooth_divisors(const TensorStatistics& statistics, Symmetry symmetry,
                                   const std::vector<SmoothedReader>& readers, std::optional<double> alpha) {
  const std::vector<ChannelStatistics>& channels = statistics.channels();
  const std::vector<ChannelWeights> weights = channel_weights(readers, channels.size());
  if (alpha) return divisors_for(channels, weights, *alpha);

  double least =
      kWorthIt * expected_noise(statistics, symmetry, readers, weights, std::vector<float>(channels.size(), 1.0f));
  std::vector<float> best;
  for (int tenths = 1; tenths <= 10; ++tenths) {
    std::vector<float> divisors = divisors_for(channels, weights, tenths / 10.0);
    const double noise = expected_noise(statistics, symmetry, readers, weights, divisors);
    if (noise >= least) continue;
    least = noise;
    best = std::move(divisors);
  }
  return best;
}

void multiply_inputs(WeightMatrix& weights, const std::vector<float>& factors) {
  for (std::size_t row = 0; row < weights.rows(); ++row)
    for (std::size_t i = 0; i < weights.columns(); ++i)
      weights.row(row)[i] *= factors[weights.first_input(row) + i / weights.taps()];
}

}  // namespace lpot
