#include "lpot/quantize/recipes/smooth_quant.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lpot/core/multiversion.h"
#include "lpot/quantize/recipes/recipe.h"
#include "lpot/quantize/recipes/smooth_quant/balanced_scores.h"
#include "lpot/quantize/recipes/smooth_quant/smooth_plan.h"

namespace lpot {
namespace {

constexpr double kSmoothingGain = 0.9;  // required: noise at most this share of the noise without smoothing
// The share of channels that are all divided by the same divisor. On calibration data the noise estimate always prefers
// a small share, but other data confirm the gain only if it is large. So the largest share within kNearEnough times the
// smallest noise is used.
constexpr auto kQuantiles = std::to_array({0.9, 0.5, 0.0});
constexpr double kNearEnough = 3.0;
constexpr std::size_t kMaxRows = 512;  // of a reader's weights, for the noise estimate

// Over all weights that read a channel.
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

// The range of a channel. The extremes of few values are unreliable, so the range is widened by their standard
// deviation.
Range channel_range(const ChannelStatistics& channel) {
  constexpr std::uint64_t kMany = 1000;  // values whose extremes are reliable
  Range range{channel.min, channel.max};
  if (channel.count >= kMany) return range;
  const double variance = std::max(0.0, channel.mean_square() - channel.mean() * channel.mean());
  const double margin = 4 * std::sqrt(variance);
  range.high = std::max(range.high, static_cast<float>(channel.mean() + margin));
  if (channel.min < 0) range.low = std::min(range.low, static_cast<float>(channel.mean() - margin));
  return range;
}

double largest_magnitude(const ChannelStatistics& channel) {
  const Range range = channel_range(channel);
  return std::max(std::fabs(static_cast<double>(range.low)), std::fabs(static_cast<double>(range.high)));
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
    // A channel without values or weights adds no noise, but must not get an extreme divisor.
    const double value = std::max(largest_magnitude(channels[i]), largest_value * 1e-5);
    const double weight = std::max(weights[i].largest, largest_weight * 1e-5);
    divisors[i] = static_cast<float>(std::pow(value, alpha) / std::pow(weight, 1 - alpha));
  }
  return divisors;
}

// Only outlier channels are reduced. The other channels keep a margin for data that differ from the calibration data.
void raise_to_quantile(std::vector<float>& divisors, double share) {
  std::vector<float> sorted = divisors;
  const auto place = static_cast<std::ptrdiff_t>(static_cast<double>(sorted.size() - 1) * share);
  std::nth_element(sorted.begin(), sorted.begin() + place, sorted.end());
  for (float& divisor : divisors) divisor = std::max(divisor, sorted[static_cast<std::size_t>(place)]);
}

// Repeats each value `times` times.
std::vector<float> repeated(const std::vector<float>& values, std::size_t times) {
  if (times == 1) return values;
  std::vector<float> all(values.size() * times);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = values[i / times];
  return all;
}

// The largest of |values * factors|, in separate lanes so that the compiler vectorizes the loop.
LPOT_FOR_EVERY_CPU float largest_product(const float* values, const float* factors, std::size_t count) {
  constexpr std::size_t kLanes = 16;
  std::array<float, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float product = std::fabs(values[i + lane] * factors[i + lane]);
      lanes[lane] = product > lanes[lane] ? product : lanes[lane];
    }
  for (; i < count; ++i) lanes[0] = std::max(lanes[0], std::fabs(values[i] * factors[i]));
  return *std::max_element(lanes.begin(), lanes.end());
}

// The expected squared error of the outputs, summed over the outputs of all readers.
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
    const std::size_t stride = (matrix.rows() + kMaxRows - 1) / kMaxRows;
    const std::vector<float> factors = repeated(divisors, matrix.taps());
    double squared_steps = 0;
    for (std::size_t row = 0; row < matrix.rows(); row += stride) {
      const float largest =
          largest_product(matrix.row(row), factors.data() + matrix.first_input(row) * matrix.taps(), matrix.columns());
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
    const Range of_channel = channel_range(statistics.channels()[i]);
    range.low = std::min(range.low, of_channel.low / divisors[i]);
    range.high = std::max(range.high, of_channel.high / divisors[i]);
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

  struct Candidate {
    double noise = 0;
    std::vector<float> divisors = {};
  };
  std::vector<Candidate> best_of_quantile;
  for (const double share : kQuantiles) {
    Candidate best{std::numeric_limits<double>::infinity()};
    for (int tenths = 1; tenths <= 10; ++tenths) {
      std::vector<float> divisors = divisors_for(channels, weights, tenths / 10.0);
      raise_to_quantile(divisors, share);
      const double noise = expected_noise(statistics, symmetry, readers, weights, divisors);
      if (noise < best.noise) best = {noise, std::move(divisors)};
    }
    best_of_quantile.push_back(std::move(best));
  }
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate& candidate : best_of_quantile) least = std::min(least, candidate.noise);
  const double without =
      expected_noise(statistics, symmetry, readers, weights, std::vector<float>(channels.size(), 1.0f));
  for (Candidate& candidate : best_of_quantile)
    if (candidate.noise <= kNearEnough * least)
      return candidate.noise < kSmoothingGain * without ? std::move(candidate.divisors) : std::vector<float>{};
  return {};
}

namespace {

constexpr const char* kSmoothQuant = "smooth_quant";
constexpr const char* kAlpha = "smooth_quant_alpha";

ScoreDivisors smooth_targets(const RecipeContext& context, Rescaling& rescaling) {
  smooth_plan(context.model, rescaling, context.plan.recipes.number(kAlpha));
  return balance_scores(context.model, context.plan, context.statistics, rescaling);
}

}  // namespace

Recipe smooth_quant_recipe() {
  return {.declaration =
              {.name = kSmoothQuant,
               .key = {.parameter = {.name = kSmoothQuant,
                                     .kind = ValueKind::Flag,
                                     .summary =
                                         "move activation outliers into weights; default: where it lowers the expected "
                                         "noise"},
                       .position = 70},
               .plan_default = false,
               .config_default = true,
               .statistics = RecipeStatistics::Ranges,
               .rescales_constants = true,
               .label = kSmoothQuant},
          .change_weights = smooth_targets};
}

// One alpha for all ops. Without it, each op gets the alpha with the smallest expected noise.
Recipe smooth_quant_alpha_recipe() {
  return {.declaration = {
              .name = kAlpha,
              .key = {.parameter = {.name = kAlpha,
                                    .kind = ValueKind::Number,
                                    .summary = "SmoothQuant's alpha for all ops; default: the best value for each op"},
                      .low = 0,
                      .high = 1,
                      .position = 80},
              .part_of = kSmoothQuant,
              .statistics = RecipeStatistics::Ranges,
              .label = kAlpha}};
}

}  // namespace lpot
