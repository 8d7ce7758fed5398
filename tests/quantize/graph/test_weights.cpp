#include "lpot/quantize/graph/weights.h"

#include <cmath>

#include "lpot/quantize/quantize.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

TensorScheme scheme(Granularity granularity, bool half_range = false) {
  return {Algorithm::MinMax, granularity, Symmetry::Symmetric, half_range ? 7 : 8};
}

struct WeightCase {
  Shape shape;
  std::vector<std::size_t> axes;  // dimensions of the output channels
  Granularity granularity;
  bool half_range;
};

class QuantizedWeight : public ::testing::TestWithParam<WeightCase> {};

// The indices of a flat position in row-major order.
std::vector<std::size_t> indices(std::size_t flat, const Shape& shape) {
  std::vector<std::size_t> result(shape.size());
  for (std::size_t i = shape.size(); i-- > 0; flat /= shape[i]) result[i] = flat % shape[i];
  return result;
}

TEST_P(QuantizedWeight, MatchesTheFormula) {
  const auto& [shape, axes, granularity, half_range] = GetParam();
  const std::vector<float> weights = random_values(element_count(shape), 3, -0.7f, 0.4f);
  const QuantizedWeights found = quantize_weights(weights, shape, axes, scheme(granularity, half_range));
  const int limit = half_range ? 63 : 127;

  const auto same_channel = [&](std::size_t a, std::size_t b) {
    if (granularity == Granularity::PerTensor) return true;
    for (const std::size_t axis : axes)
      if (indices(a, shape)[axis] != indices(b, shape)[axis]) return false;
    return true;
  };
  ASSERT_EQ(found.values.size(), weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    float largest = 0;
    for (std::size_t k = 0; k < weights.size(); ++k)
      if (same_channel(i, k)) largest = std::max(largest, std::fabs(weights[k]));
    const float scale = largest / static_cast<float>(limit);
    // The scale of this weight after broadcasting.
    std::size_t position = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
      position = position * found.scale_shape[d] + (found.scale_shape[d] == 1 ? 0 : indices(i, shape)[d]);
    ASSERT_FLOAT_EQ(found.scales.at(position), scale);
    EXPECT_EQ(found.values[i], static_cast<int>(std::nearbyint(weights[i] / scale)));
    EXPECT_LE(std::abs(found.values[i]), limit);
    EXPECT_LE(std::fabs(weights[i] - static_cast<float>(found.values[i]) * scale), scale / 2 * 1.0001f);
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, QuantizedWeight,
                         ::testing::Values(WeightCase{{4, 3, 3, 3}, {0}, Granularity::PerTensor, false},
                                           WeightCase{{4, 3, 3, 3}, {0}, Granularity::PerChannel, false},
                                           WeightCase{{4, 3, 3, 3}, {0}, Granularity::PerChannel, true},
                                           WeightCase{{3, 4, 2, 2}, {1}, Granularity::PerChannel, false},
                                           WeightCase{{2, 3, 2, 3, 3}, {0, 1}, Granularity::PerChannel, true},
                                           WeightCase{{5, 6}, {1}, Granularity::PerChannel, false},
                                           WeightCase{{5, 6}, {1}, Granularity::PerTensor, true}));

TEST(QuantizeWeights, UsesTheWholeIntegerRangeInEveryChannel) {
  const auto found = quantize_weights({0.1f, -0.2f, 30.0f, 40.0f}, {2, 2}, {0}, scheme(Granularity::PerChannel, true));
  EXPECT_EQ(found.values[1], -63);
  EXPECT_EQ(found.values[3], 63);
}

TEST(QuantizeWeights, GivesAZeroChannelZerosAndTheLargestScaleOfOtherChannels) {
  const auto found = quantize_weights({0, 0, 0.1f, 0.2f, 0.3f, 0.1f}, {3, 2}, {0}, scheme(Granularity::PerChannel));
  EXPECT_EQ(found.values[0], 0);
  EXPECT_EQ(found.values[1], 0);
  EXPECT_EQ(found.scales[0], found.scales[2]) << "a scale of 1 would round the bias of the channel to coarse steps";
}

TEST(QuantizeWeights, GivesZerosANonZeroScale) {
  for (const Granularity granularity : {Granularity::PerChannel, Granularity::PerTensor})
    EXPECT_GT(quantize_weights({0, 0}, {1, 2}, {0}, scheme(granularity)).scales.at(0), 0);
}

TEST(QuantizeWeights, KeepsTheSignOfTinyWeights) {
  const float tiny = 1e-42f;
  const auto found = quantize_weights({tiny, -tiny, 0, tiny}, {1, 4}, {0}, scheme(Granularity::PerChannel));
  for (const std::int8_t value : found.values) EXPECT_LE(std::abs(value), 127);
  for (const float scale : found.scales) {
    EXPECT_GT(scale, 0);
    EXPECT_TRUE(std::isfinite(scale));
  }
}

TEST(WeightLimit, HalvesWithEveryBit) {
  EXPECT_EQ(weight_limit({.bits = 8}), 127);
  EXPECT_EQ(weight_limit({.bits = 7}), 63);
  EXPECT_EQ(weight_limit({.bits = 4}), 7);
  EXPECT_EQ(weight_limit({.bits = 2}), 1);
}

}  // namespace
}  // namespace lpot
