#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "lpot/calibrate/histogram.h"

namespace lpot {
namespace {

void add(Histogram& histogram, const std::vector<float>& values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::fabs(value));
  histogram.add(values.data(), values.size(), largest);
}

Histogram of(const std::vector<float>& values) {
  Histogram histogram;
  add(histogram, values);
  return histogram;
}

// Values of very different magnitudes, including zeros, tiny negative values and leading zeros.
std::vector<float> mixed_values() {
  std::vector<float> values(50, 0.0f);
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (int scale = -20; scale <= 20; scale += 4)
    for (int i = 0; i < 20; ++i) values.push_back(std::ldexp(normal(random), scale));
  values.insert(values.end(), {-0.0f, 1.0f, -1.0f, 1024.0f, -1024.0f, std::numeric_limits<float>::denorm_min(),
                               -std::numeric_limits<float>::denorm_min()});
  return values;
}

TEST(Histogram, DoublesItsRangeUntilEveryValueFits) {
  Histogram histogram;
  for (const auto& [value, limit] :
       std::vector<std::pair<float, double>>{{0.3f, 0.5}, {0.5f, 1}, {-3.0f, 4}, {1000.0f, 1024}, {1.0f, 1024}}) {
    add(histogram, {value});
    EXPECT_EQ(histogram.limit(), limit) << "after " << value;
  }
  EXPECT_EQ(histogram.total(), 5u);
}

TEST(Histogram, CountsEveryValueInItsBin) {
  const std::vector<float> values = mixed_values();
  const Histogram histogram = of(values);
  EXPECT_EQ(histogram.total(), values.size());
  for (std::size_t bin = 0; bin < Histogram::kBins; ++bin) {
    const double low = histogram.bin_low(bin), high = low + histogram.bin_width();
    const auto inside =
        std::count_if(values.begin(), values.end(), [&](float value) { return low <= value && value < high; });
    ASSERT_EQ(histogram.counts()[bin], static_cast<std::uint64_t>(inside)) << "bin from " << low;
  }
}

TEST(Histogram, MergesPartsInAnyOrder) {
  const std::vector<float> values = mixed_values();
  const Histogram whole = of(values);
  std::mt19937 random(9);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<std::vector<float>> parts(1 + random() % 6);
    for (const float value : values) parts[random() % parts.size()].push_back(value);
    parts.push_back({0.0f});
    parts.back().clear();
    Histogram merged, streamed;
    std::shuffle(parts.begin(), parts.end(), random);
    for (const auto& part : parts) {
      merged.merge(of(part));
      add(streamed, part);
    }
    EXPECT_EQ(merged, whole);
    EXPECT_EQ(streamed, whole);
  }
}

TEST(Histogram, MergesAHistogramOfZeros) {
  const Histogram zeros = of({0, 0, 0});
  EXPECT_EQ(zeros.total(), 3u);
  EXPECT_EQ(zeros.limit(), 0);
  Histogram first = zeros, second = of({1.5f});
  first.merge(of({1.5f}));
  second.merge(zeros);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first, of({0, 1.5f, 0, 0}));
}

TEST(Histogram, CountsTheLargestAndTheSmallestFloats) {
  const float largest = std::numeric_limits<float>::max(), smallest = std::numeric_limits<float>::denorm_min();
  const Histogram histogram = of({largest, -largest, smallest, -smallest});
  EXPECT_EQ(histogram.total(), 4u);
  EXPECT_EQ(histogram.counts().front(), 1u);
  EXPECT_EQ(histogram.counts().back(), 1u);
  EXPECT_EQ(histogram.counts()[Histogram::kBins / 2 - 1], 1u);
}

}  // namespace
}  // namespace lpot
