#include <cmath>
#include <numeric>
#include <random>

#include "lpot/calibrate/statistics.h"
#include "lpot/quantize/recipes/bias_correction.h"
#include "lpot/quantize/recipes/smooth_quant.h"
#include "lpot/quantize/recipes/weight_correction.h"
#include "lpot/quantize/saturation.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

const TensorScheme kPerChannel{Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 8};

// [rows, channels], channels last.
TensorStatistics observed(const Tensor& tensor) {
  TensorStatistics statistics;
  statistics.add(tensor, -1);
  return statistics;
}

// Rows of 8 channels; the third is a hundred times larger than the others.
Tensor with_outlier() {
  Tensor tensor = random_tensor({64, 8}, 3);
  for (std::size_t row = 0; row < 64; ++row) tensor.data<float>()[row * 8 + 2] *= 100.0f;
  return tensor;
}

// The mean squared output error of x * w after quantizing activations and weights, with x divided by the divisors.
double measured_noise(const Tensor& x, const WeightMatrix& exact, const std::vector<float>& divisors) {
  const TensorStatistics statistics = observed(x);
  WeightMatrix weights = exact;
  multiply_inputs(weights, divisors);
  const QuantizedRows rows = quantize_rows(weights, kPerChannel);
  const Range range = divided_range(statistics, divisors, Symmetry::Asymmetric);
  const float step = (range.high - range.low) / 255.0f;
  double noise = 0;
  for (std::size_t i = 0; i < x.shape()[0]; ++i)
    for (std::size_t o = 0; o < exact.rows(); ++o) {
      double want = 0, got = 0;
      for (std::size_t j = 0; j < exact.columns(); ++j) {
        const float value = x.data<float>()[i * exact.columns() + j];
        want += static_cast<double>(value * exact.row(o)[j]);
        const float level = std::nearbyint(value / divisors[j] / step) * step;
        got += static_cast<double>(level * static_cast<float>(rows.values[o * exact.columns() + j]) * rows.scale(o));
      }
      noise += (want - got) * (want - got);
    }
  return noise;
}

TEST(SmoothQuant, ReducesTheNoiseOfAnOutlierChannelManyTimes) {
  const Tensor x = with_outlier();
  std::vector<float> values = random_values(4 * 8, 5);
  for (std::size_t row = 0; row < 4; ++row)
    values[row * 8 + 2] /= 100.0f;  // so that it contributes no more than the others
  const WeightMatrix weights(values, {{4, 8}, {0}, {1}});
  const auto divisors = smooth_divisors(observed(x), Symmetry::Asymmetric, {{&weights, 127}});
  ASSERT_EQ(divisors.size(), 8u);
  EXPECT_LT(20 * measured_noise(x, weights, divisors), measured_noise(x, weights, std::vector<float>(8, 1.0f)));
}

TEST(SmoothQuant, DoesNotSmoothATensorWithoutOutliers) {
  const WeightMatrix weights(random_values(4 * 8, 5), {{4, 8}, {0}, {1}});
  EXPECT_TRUE(smooth_divisors(observed(random_tensor({64, 8}, 3)), Symmetry::Asymmetric, {{&weights, 127}}).empty());
}

TEST(SmoothQuant, UsesAGivenAlpha) {
  const WeightMatrix weights({0.5f, 0.25f}, {{1, 2}, {0}, {1}});
  const auto divisors = smooth_divisors(observed(Tensor::from<float>({1, 2}, {4.0f, -9.0f})), Symmetry::Asymmetric,
                                        {{&weights, 127}}, 0.5);
  EXPECT_FLOAT_EQ(divisors[0], std::sqrt(4.0f / 0.5f));
  EXPECT_FLOAT_EQ(divisors[1], std::sqrt(9.0f / 0.25f));
}

TEST(SmoothQuant, HandlesChannelsWithoutValuesOrWeights) {
  const WeightMatrix weights({0, 1, 2, 0, 3, 4}, {{2, 3}, {0}, {1}});
  const auto divisors = smooth_divisors(observed(Tensor::from<float>({1, 3}, {5.0f, 0.0f, 1.0f})), Symmetry::Asymmetric,
                                        {{&weights, 127}}, 0.5);
  for (const float divisor : divisors) EXPECT_TRUE(std::isfinite(divisor) && divisor > 0);
}

TEST(BiasCorrection, CompensatesForTheShiftOfTheMean) {
  const WeightMatrix exact({0.9f, -0.2f, 0.31f, 0.07f}, {{2, 2}, {0}, {1}});
  const QuantizedRows rows{{1, 0, 0, 0}, {1.0f}};
  const auto bias = bias_correction(exact, rows, {2.0f, 3.0f});
  EXPECT_NEAR(bias[0], (0.9f - 1) * 2 + (-0.2f) * 3, 1e-6);
  EXPECT_NEAR(bias[1], 0.31f * 2 + 0.07f * 3, 1e-6);
}

TEST(BiasCorrection, UsesTheChannelsOfEachGroup) {
  // [groups 2, outputs 1, inputs 2, taps 1]: the second output reads channels 2 and 3.
  const WeightMatrix exact({1, 1, 1, 1}, {{2, 1, 2, 1}, {0, 1}, {0, 2}});
  const QuantizedRows rows{{0, 0, 0, 0}, {1.0f}};
  const auto bias = bias_correction(exact, rows, {1, 2, 10, 20});
  EXPECT_FLOAT_EQ(bias[0], 3);
  EXPECT_FLOAT_EQ(bias[1], 30);
}

TEST(WeightCorrection, KeepsTheVarianceOfEveryChannel) {
  const WeightMatrix exact(random_values(3 * 50, 9), {{3, 50}, {0}, {1}});
  TensorScheme coarse = kPerChannel;
  coarse.bits = 3;
  const QuantizedRows rows = correct_weights(exact, quantize_rows(exact, coarse));
  const auto spread = [](const std::vector<double>& values) {
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    double sum = 0;
    for (const double value : values) sum += (value - mean) * (value - mean);
    return sum;
  };
  for (std::size_t row = 0; row < 3; ++row) {
    std::vector<double> wanted, found;
    for (std::size_t i = 0; i < 50; ++i) {
      wanted.push_back(static_cast<double>(exact.row(row)[i]));
      found.push_back(static_cast<double>(static_cast<float>(rows.values[row * 50 + i]) * rows.scale(row)));
    }
    EXPECT_NEAR(spread(found) / spread(wanted), 1.0, 1e-5);
  }
}

TEST(Saturation, IsPossibleOnlyIfPairsOfProductsExceedSixteenBits) {
  // Channels that are always at their largest level.
  const auto saturates = [&](const std::vector<float>& integers, const std::vector<int>& levels) {
    std::vector<ChannelLevels> inputs;
    for (const int level : levels) inputs.push_back({level, static_cast<double>(level), 0, 1});
    return range_noise(WeightMatrix(integers, {{1, 4}, {0}, {1}}), {1.0f}, inputs).saturation > 0;
  };
  EXPECT_TRUE(saturates({127, 127, 0, 0}, {255, 255, 255, 255}));
  EXPECT_TRUE(saturates({0, 0, -127, -127}, {255, 255, 255, 255}));
  EXPECT_FALSE(saturates({127, -127, 127, -127}, {255, 255, 255, 255})) << "the products of a pair have opposite signs";
  EXPECT_FALSE(saturates({127, 0, 127, 0}, {255, 255, 255, 255})) << "each pair has one zero weight";
  EXPECT_FALSE(saturates({0, 127, 127, 0}, {255, 255, 255, 255})) << "adjacent weights, but of two pairs";
  EXPECT_FALSE(saturates({63, 63, -63, -63}, {255, 255, 255, 255})) << "half range";
  EXPECT_FALSE(saturates({127, 127, 0, 0}, {129, 129, 0, 0})) << "the channels never reach 255";
  EXPECT_TRUE(saturates({127, 127, 0, 0}, {130, 130, 0, 0}));
}

TEST(Saturation, ComputesTheLevelsOfAChannel) {
  const TensorStatistics statistics = observed(Tensor::from<float>({2, 2}, {-1.0f, 0.0f, 1.0f, 0.5f}));
  const auto plain = channel_levels(statistics, {}, {-1.0f, 1.0f});
  EXPECT_EQ(plain[0].largest, 255);
  EXPECT_EQ(plain[1].largest, 192);
  EXPECT_NEAR(plain[0].mean, 127.5, 1e-3);
  EXPECT_NEAR(plain[1].mean, 127.5 + 0.25 * 127.5, 1e-3);
  EXPECT_NEAR(plain[0].deviation, 127.5, 1e-3);
  EXPECT_NEAR(plain[0].power, 127.5 * 127.5, 1e-1) << "relative to zero, not to the lowest level";
  const auto divided = channel_levels(statistics, {2.0f, 1.0f}, {-1.0f, 1.0f});
  EXPECT_EQ(divided[0].largest, 192);
  EXPECT_EQ(divided[1].largest, 192);
}

// Compares the estimate with simulated sums: the loss of 16-bit sums for activations with this deviation, and the loss
// of half-range weights for the same activations.
struct SaturationCase {
  double mean, deviation;
  bool prefers_half_range;
};
class SaturationOf : public ::testing::TestWithParam<SaturationCase> {};

TEST_P(SaturationOf, AgreesWithSimulatedSums) {
  constexpr std::size_t kInputs = 512, kSamples = 1000;
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0, 80), activation(GetParam().mean, GetParam().deviation);
  std::vector<double> weights(kInputs);  // in full-range steps, before rounding
  for (double& weight : weights) weight = std::clamp(normal(random), -127.0, 127.0);
  weights[0] = 127;

  std::vector<ChannelLevels> inputs(kInputs);
  double saturated = 0, bit = 0;
  std::vector<double> levels(kInputs);
  for (std::size_t sample = 0; sample < kSamples; ++sample) {
    double loss = 0, halved = 0, whole = 0;
    for (std::size_t i = 0; i < kInputs; ++i) {
      levels[i] = std::clamp(std::round(activation(random)), 0.0, 255.0);
      inputs[i].largest = std::max(inputs[i].largest, static_cast<int>(levels[i]));
      inputs[i].mean += levels[i] / kSamples;
      inputs[i].power += levels[i] * levels[i] / kSamples;  // zero is the lowest level
      halved += levels[i] * (2 * std::round(weights[i] / 2) - weights[i]);
      whole += levels[i] * (std::round(weights[i]) - weights[i]);
    }
    for (std::size_t i = 0; i < kInputs; i += 2) {
      const double sum = std::round(weights[i]) * levels[i] + std::round(weights[i + 1]) * levels[i + 1];
      loss += sum - std::clamp(sum, -32768.0, 32767.0);
    }
    saturated += loss * loss / kSamples;
    bit += (halved * halved - whole * whole) / kSamples;
  }
  for (ChannelLevels& input : inputs) input.deviation = std::sqrt(input.power - input.mean * input.mean);

  std::vector<float> integers;
  for (const double weight : weights) integers.push_back(static_cast<float>(std::round(weight)));
  const RangeNoise found = range_noise(WeightMatrix(integers, {{1, kInputs}, {0}, {1}}), {1.0f}, inputs);
  EXPECT_EQ(saturated > bit, GetParam().prefers_half_range) << "the simulation contradicts the intent of this case";
  EXPECT_EQ(found.prefers_half_range(), GetParam().prefers_half_range)
      << found.saturation << " (" << saturated << ") against " << found.lost_bit << " (" << bit << ")";
}

INSTANTIATE_TEST_SUITE_P(All, SaturationOf,
                         ::testing::Values(SaturationCase{20, 20, false}, SaturationCase{60, 20, false},
                                           SaturationCase{200, 40, true}, SaturationCase{240, 5, true}));

TEST(WeightMatrix, HasARowPerOutputChannelInEveryLayout) {
  std::vector<float> values(2 * 3 * 4);
  std::iota(values.begin(), values.end(), 0.0f);
  const WeightMatrix transposed(values, {{6, 4}, {1}, {0}});  // [inputs, outputs] of a matrix product
  EXPECT_EQ(transposed.rows(), 4u);
  EXPECT_EQ(transposed.inputs(), 6u);
  EXPECT_EQ(transposed.row(1)[2], 9.0f);
  const WeightMatrix convolution(values, {{2, 3, 4}, {0}, {1}});
  EXPECT_EQ(convolution.taps(), 4u);
  EXPECT_EQ(convolution.row(1)[5], 17.0f);
  const WeightMatrix transposed_convolution(values, {{2, 3, 4}, {1}, {0}});  // [inputs, outputs, taps]
  EXPECT_EQ(transposed_convolution.row(2)[5], 21.0f);

  std::vector<std::int8_t> in_rows;
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t i = 0; i < 6; ++i) in_rows.push_back(static_cast<std::int8_t>(transposed.row(row)[i]));
  const auto restored = transposed.restored(in_rows);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(restored[i], static_cast<std::int8_t>(i));
}

TEST(QuantizeRows, ClipsIfThatReducesTheError) {
  std::vector<float> values(1000, 0.0f);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) - 3.0f;
  values[0] = 30.0f;  // a single outlier
  const WeightMatrix matrix(values, {{1, 1000}, {0}, {1}});
  TensorScheme scheme = kPerChannel;
  scheme.bits = 4;
  const float whole = quantize_rows(matrix, scheme).scales[0];
  scheme.algorithm = Algorithm::Mse;
  EXPECT_LT(quantize_rows(matrix, scheme).scales[0], whole);
}

TEST(QuantizeRows, ClipsOnlyWeightsOfWeakInputs) {
  std::vector<float> values(1000, 0.0f);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) - 3.0f;
  values[0] = 30.0f;
  const WeightMatrix matrix(values, {{1, 1000}, {0}, {1}});
  TensorScheme scheme = kPerChannel;
  scheme.bits = 4;
  const float whole = quantize_rows(matrix, scheme).scales[0];
  scheme.algorithm = Algorithm::Mse;
  std::vector<double> powers(1000, 1.0);
  powers[0] = 1000;  // an error of this weight changes the output most
  EXPECT_EQ(quantize_rows(matrix, scheme, powers).scales[0], whole);
  powers[0] = 0.001;
  EXPECT_LT(quantize_rows(matrix, scheme, powers).scales[0], quantize_rows(matrix, scheme).scales[0] * 1.001f);
}

}  // namespace
}  // namespace lpot
