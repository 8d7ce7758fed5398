#include "lpot/quantize/graph/activation_range.h"

#include <cmath>
#include <random>

#include "tests/support/files.h"

namespace lpot {
namespace {

double step_of(const Range& levels) { return (double(levels.high) - double(levels.low)) / 255; }

TEST(ActivationLevels, ContainZeroExactlyAndCoverTheRange) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> exponent(-8, 8);
  for (int i = 0; i < 2000; ++i) {
    const Range range{-std::exp2(exponent(random)), std::exp2(exponent(random))};
    const Range levels = activation_levels(range, Symmetry::Asymmetric);
    const double zero = -double(levels.low) / step_of(levels);
    ASSERT_NEAR(zero, std::nearbyint(zero), 1e-3) << range.low << " " << range.high;
    ASSERT_GE(std::nearbyint(zero), 0);
    ASSERT_LE(std::nearbyint(zero), 255);
    ASSERT_LE(levels.low, range.low * (1 - 1e-6f));
    ASSERT_GE(levels.high, range.high * (1 - 1e-6f));
    // Moving zero to a level costs at most half a level on either side, or one level when a side is nearly empty.
    ASSERT_LE(step_of(levels), (double(range.high) - double(range.low)) / 253.5);
  }
}

TEST(ActivationLevels, StayInsideARangeThatBeginsAtZero) {
  for (const Symmetry symmetry : {Symmetry::Symmetric, Symmetry::Asymmetric}) {
    const Range levels = activation_levels({0, 6}, symmetry);
    EXPECT_EQ(levels.low, 0);
    EXPECT_LE(levels.high, 6);
    EXPECT_NEAR(levels.high, 6, 6.0 / 32768);
  }
}

TEST(ActivationLevels, EndAtZeroWhenNothingIsPositive) {
  const Range levels = activation_levels({-3, 0}, Symmetry::Asymmetric);
  EXPECT_LE(levels.low, -3);
  EXPECT_NEAR(levels.low, -3, 0.5 * step_of(levels));
  EXPECT_EQ(levels.high, 0);
}

TEST(ActivationLevels, HaveOneExtraLevelBelowZeroWhenSymmetric) {
  const Range levels = activation_levels({-2, 2}, Symmetry::Symmetric);
  EXPECT_NEAR(levels.high, 2, 1e-4);
  EXPECT_EQ(levels.low, -levels.high * 128 / 127);
}

// OpenVINO computes scale and zero point from the ends of a FakeQuantize, and the ends from scale and zero point of a
// QuantizeLinear. Both ways must give the same quantizer.
TEST(ActivationLevels, AreExactAsScaleAndZeroPoint) {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> exponent(-8, 8);
  for (int i = 0; i < 2000; ++i) {
    const Range range{i % 4 == 0 ? 0.0f : -std::exp2(exponent(random)),
                      i % 4 == 1 ? 0.0f : std::exp2(exponent(random))};
    const Range levels = activation_levels(range, Symmetry::Asymmetric);
    const Quantization integers(levels);
    const auto zero = static_cast<float>(integers.is_signed ? 128 : integers.zero_point);
    ASSERT_EQ(-zero * integers.scale, levels.low) << range.low << " " << range.high;
    ASSERT_EQ((255 - zero) * integers.scale, levels.high) << range.low << " " << range.high;
    ASSERT_EQ(-255 * levels.low / (levels.high - levels.low), zero) << range.low << " " << range.high;
  }
}

TEST(ActivationLevels, AreNotEmptyForAnEmptyRange) {
  EXPECT_GT(step_of(activation_levels({0, 0}, Symmetry::Asymmetric)), 0);
  EXPECT_GT(step_of(activation_levels({0, 0}, Symmetry::Symmetric)), 0);
}

}  // namespace
}  // namespace lpot
