#include <cmath>
#include <limits>
#include <random>

#include "lpot/calibrate/range.h"
#include "lpot/core/error.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

TensorStatistics observed(const std::vector<float>& values) {
  TensorStatistics statistics;
  statistics.add(Tensor::from<float>({1, 1, values.size()}, values), 1);
  return statistics;
}

using Values = std::vector<float>;

Values gaussian(std::size_t count, float mean = 0, float deviation = 1) {
  std::mt19937 random(17);
  std::normal_distribution<float> draw(mean, deviation);
  Values values(count);
  for (float& value : values) value = draw(random);
  return values;
}

Values relu(Values values) {
  for (float& value : values) value = std::max(0.0f, value);
  return values;
}

Values with(Values values, const Values& more) {
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

Values laplace(std::size_t count) {
  std::mt19937 random(23);
  std::exponential_distribution<float> draw(3);
  Values values(count);
  for (float& value : values) value = (random() % 2 == 0 ? 1.0f : -1.0f) * draw(random);
  return values;
}

Values uniform(std::size_t count) {
  std::mt19937 random(29);
  std::uniform_real_distribution<float> draw(-0.3f, 0.9f);
  Values values(count);
  for (float& value : values) value = draw(random);
  return values;
}

constexpr auto kSymmetric = Symmetry::Symmetric;
constexpr auto kAsymmetric = Symmetry::Asymmetric;

Range minmax(const Values& values, Symmetry symmetry) {
  return find_range(observed(values), Algorithm::MinMax, {.symmetry = symmetry});
}
Range kl(const Values& values, Symmetry symmetry) {
  return find_range(observed(values), Algorithm::Kl, {.symmetry = symmetry});
}

TEST(MinMax, IsTheSmallestAndLargestValueWithZeroInside) {
  EXPECT_EQ(minmax({-0.5f, 2.0f, 1.0f}, kAsymmetric), (Range{-0.5f, 2.0f}));
  EXPECT_EQ(minmax({0.5f, 2.0f}, kAsymmetric), (Range{0.0f, 2.0f}));
  EXPECT_EQ(minmax({-2.0f, -0.5f}, kAsymmetric), (Range{-2.0f, 0.0f}));
}

TEST(MinMax, IsAsWideBelowZeroAsAboveWhenSymmetric) {
  EXPECT_EQ(minmax({-0.5f, 2.0f}, kSymmetric), (Range{-2.0f, 2.0f}));
  EXPECT_EQ(minmax({-3.0f, 2.0f}, kSymmetric), (Range{-3.0f, 3.0f}));
  EXPECT_EQ(minmax({-3.0f, -2.0f}, kSymmetric), (Range{-3.0f, 3.0f}));
  EXPECT_EQ(minmax({0.5f, 2.0f}, kSymmetric), (Range{0.0f, 2.0f}));
}

TEST(FindRange, RejectsEmptyStatistics) { EXPECT_THROW(find_range(TensorStatistics(), Algorithm::MinMax), DataError); }

Range percentile(const Values& values, Symmetry symmetry, double share) {
  return find_range(observed(values), Algorithm::Percentile, {.symmetry = symmetry, .percentile = share});
}

TEST(Percentile, ContainsTheRequestedShareWithinOneBin) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  Values values(20000);
  for (float& value : values) value = normal(random);
  Values sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const float bin = 2.0f * 8.0f / Histogram::kBins;  // the largest value lies between 4 and 8
  const Range range = percentile(values, kAsymmetric, 99.0);
  EXPECT_NEAR(range.low, sorted[100], bin);
  EXPECT_NEAR(range.high, sorted[sorted.size() - 101], bin);
  EXPECT_LE(range.low, sorted[100]);
  EXPECT_GE(range.high, sorted[sorted.size() - 101]);
}

TEST(Percentile, Of100EqualsMinMax) {
  EXPECT_EQ(percentile({-0.5f, 2.0f, 1.0f}, kAsymmetric, 100), (Range{-0.5f, 2.0f}));
  EXPECT_EQ(percentile({-0.5f, 2.0f, 1.0f}, kSymmetric, 100), (Range{-2.0f, 2.0f}));
}

TEST(Percentile, ClipsOneOutlierOfAThousand) {
  Values values(1000, 1.0f);
  values.push_back(1000.0f);
  EXPECT_LT(percentile(values, kAsymmetric, 99.8).high, 1.3f);
}

// The mean squared error of actually quantizing every value.
double quantization_error(const Values& values, const Range& range) {
  const double step = (static_cast<double>(range.high) - range.low) / 255;
  double sum = 0;
  for (const float value : values) {
    const double inside = std::clamp<double>(value, range.low, range.high);
    const double quantized = std::nearbyint((inside - range.low) / step) * step + range.low;
    sum += (quantized - value) * (quantized - value);
  }
  return sum / static_cast<double>(values.size());
}

TEST(Mse, IsWithinAPercentOfTheBestBoundFoundByQuantizingEveryValue) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  Values values(20000);
  for (float& value : values) value = normal(random);
  values[0] = 12.0f;
  const Range found = find_range(observed(values), Algorithm::Mse, {.symmetry = kSymmetric});
  double best = std::numeric_limits<double>::infinity();
  for (int share = 16; share <= 128; ++share) {
    const float bound = 12.0f * static_cast<float>(share) / 128;
    best = std::min(best, quantization_error(values, {-bound, bound}));
  }
  EXPECT_LE(quantization_error(values, found), best * 1.01);
  EXPECT_LT(found.high, 11.5f);
}

TEST(Kl, OfZerosOnlyIsEmpty) { EXPECT_EQ(kl({0, 0, 0}, kAsymmetric), (Range{0, 0})); }

// A second implementation of the definition: candidate by candidate, bin by bin.
double reference_divergence(const std::vector<double>& counts, double width, double low, double high) {
  const auto bins = static_cast<int>(counts.size());
  const int first = static_cast<int>(std::floor(low / width)) + bins / 2;
  const int last = static_cast<int>(std::ceil(high / width)) + bins / 2;  // exclusive
  const int inside = last - first;
  std::vector<double> p(static_cast<std::size_t>(inside)), q(p.size());
  for (int bin = 0; bin < bins; ++bin)
    p[static_cast<std::size_t>(std::clamp(bin - first, 0, inside - 1))] += counts[static_cast<std::size_t>(bin)];
  const auto level_of = [&](int i) {
    for (int level = 0;; ++level)
      if (i < (level + 1) * inside / 256) return level;
  };
  std::vector<double> mass(256), filled(256);
  for (int i = 0; i < inside; ++i) {
    const double count = counts[static_cast<std::size_t>(first + i)];
    mass[static_cast<std::size_t>(level_of(i))] += count;
    filled[static_cast<std::size_t>(level_of(i))] += count > 0;
  }
  double p_total = 0, q_total = 0;
  for (int i = 0; i < inside; ++i) {
    const auto at = static_cast<std::size_t>(i), level = static_cast<std::size_t>(level_of(i));
    if (counts[static_cast<std::size_t>(first + i)] > 0) q[at] = mass[level] / filled[level];
    p_total += p[at];
    q_total += q[at];
  }
  if (q_total == 0) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (p[i] > 0) sum += p[i] / p_total * std::log(p[i] / p_total / std::max(q[i] / q_total, 1e-9));
  return sum;
}

Range reference_kl(const Values& values, Symmetry symmetry) {
  float low = 0, high = 0;
  for (const float value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (symmetry == Symmetry::Symmetric && low < 0) {
    high = std::max(-low, high);
    low = -high;
  }
  // The histogram: 8192 bins up to the next power of two above every magnitude.
  const float largest = std::max(-low, high);
  double limit = std::ldexp(1.0, -100);
  while (limit <= largest) limit *= 2;
  const double width = 2 * limit / 8192;
  std::vector<double> counts(8192);
  for (const float value : values) ++counts[static_cast<std::size_t>(std::floor(value / width) + 4096)];
  counts[4096] = std::min(counts[4096], std::max(counts[4095], counts[4097]));

  Range best;
  double least = std::numeric_limits<double>::infinity();
  for (int share = 128; share >= 16; --share) {
    const float bound = largest * static_cast<float>(share) / 128;
    const Range candidate{low < -bound ? -bound : low, high > bound ? bound : high};
    const double divergence = reference_divergence(counts, width, candidate.low, candidate.high);
    if (divergence < least) {
      least = divergence;
      best = candidate;
    }
  }
  return best;
}

struct KlCase {
  std::string name;
  Values values;
};
void PrintTo(const KlCase& c, std::ostream* out) { *out << c.name; }

class KlOf : public ::testing::TestWithParam<KlCase> {};

TEST_P(KlOf, AgreesWithTheReferenceImplementation) {
  for (const Symmetry symmetry : {kSymmetric, kAsymmetric}) {
    const Range found = kl(GetParam().values, symmetry), expected = reference_kl(GetParam().values, symmetry);
    EXPECT_FLOAT_EQ(found.low, expected.low) << to_string(symmetry);
    EXPECT_FLOAT_EQ(found.high, expected.high) << to_string(symmetry);
  }
}

TEST_P(KlOf, IsInsideMinMaxAndContainsZero) {
  for (const Symmetry symmetry : {kSymmetric, kAsymmetric}) {
    const Range found = kl(GetParam().values, symmetry), whole = minmax(GetParam().values, symmetry);
    EXPECT_LE(whole.low, found.low);
    EXPECT_LE(found.low, 0);
    EXPECT_LE(0, found.high);
    EXPECT_LE(found.high, whole.high);
    if (symmetry == kSymmetric && whole.low < 0) {
      EXPECT_EQ(found.low, -found.high);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Distributions, KlOf,
                         ::testing::Values(KlCase{"gaussian", gaussian(20000)},
                                           KlCase{"shifted_gaussian", gaussian(20000, 1.5f, 0.7f)},
                                           KlCase{"relu", relu(gaussian(20000))},
                                           KlCase{"outliers", with(gaussian(20000), {40.0f, -25.0f, 33.0f})},
                                           KlCase{"relu_outlier", relu(with(gaussian(20000), {60.0f}))},
                                           KlCase{"laplace", laplace(20000)}, KlCase{"uniform", uniform(20000)},
                                           KlCase{"negative", with({}, {-1.0f, -0.5f, -0.25f, -3.0f})},
                                           KlCase{"few", {0.1f, 0.2f, 5.0f}}),
                         [](const auto& test) { return test.param.name; });

TEST(Kl, ClipsAFarOutlier) {
  const Values values = with(gaussian(50000), {100.0f});
  for (const Symmetry symmetry : {kSymmetric, kAsymmetric}) {
    EXPECT_EQ(minmax(values, symmetry).high, 100.0f);
    EXPECT_LT(kl(values, symmetry).high, 20.0f);
    EXPECT_GT(kl(values, symmetry).high, 3.0f);
  }
}

TEST(Kl, KeepsTheShortSideOfAnAsymmetricTensor) {
  // Like gelu: nothing below -0.2, a long tail above.
  Values values = gaussian(50000, 0, 2);
  for (float& value : values) value = value < 0 ? 0.2f * std::max(value, -1.0f) : value;
  values.push_back(60.0f);
  const Range range = kl(values, kAsymmetric);
  EXPECT_EQ(range.low, -0.2f);
  EXPECT_LT(range.high, 20.0f);
}

TEST(Kl, ClipsLittleOfAUniformTensor) { EXPECT_GT(kl(uniform(50000), kAsymmetric).high, 0.8f); }

}  // namespace
}  // namespace lpot
