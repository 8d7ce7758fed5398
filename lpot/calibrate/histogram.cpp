#include "lpot/calibrate/histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lpot/core/multiversion.h"

namespace lpot {
namespace {

constexpr int kSmallestExponent = -100;

// The smallest exponent with 2^exponent > largest, because the upper end is not part of the range.
int exponent_above(float largest) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::max(exponent, kSmallestExponent);
}

constexpr std::size_t kBlock = 1024;

// The bins of values, in a loop that the compiler vectorizes.
LPOT_FOR_EVERY_CPU void find_bins(const float* values, std::size_t count, float scale, std::int32_t* bins) {
  const float width = 1.0f / scale;
  for (std::size_t i = 0; i < count; ++i) {
    const auto towards_zero = static_cast<std::int32_t>(values[i] * scale);
    // std::floor would be a function call here. The comparison uses the value itself, because a tiny value times the
    // scale may have become zero.
    const std::int32_t floor = towards_zero - (values[i] < static_cast<float>(towards_zero) * width ? 1 : 0);
    bins[i] = floor + static_cast<std::int32_t>(Histogram::kBins / 2);
  }
}

}  // namespace

double Histogram::limit() const { return counts_.empty() ? 0.0 : std::ldexp(1.0, exponent_); }

std::uint64_t Histogram::total() const { return std::accumulate(counts_.begin(), counts_.end(), zeros_before_range_); }

void Histogram::grow_to(int exponent) {
  if (counts_.empty()) {
    counts_.assign(kBins, 0);
    counts_[kBins / 2] = zeros_before_range_;
    zeros_before_range_ = 0;
    exponent_ = exponent;
    return;
  }
  for (; exponent_ < exponent; ++exponent_) {
    std::vector<std::uint64_t> wider(kBins, 0);
    for (std::size_t bin = 0; bin < kBins; ++bin) wider[kBins / 4 + bin / 2] += counts_[bin];
    counts_ = std::move(wider);
  }
}

void Histogram::add(const float* values, std::size_t count, float largest) {
  if (largest == 0.0f) {
    if (counts_.empty()) {
      zeros_before_range_ += count;
    } else {
      counts_[kBins / 2] += count;
    }
    return;
  }
  grow_to(exponent_above(largest));
  // Scaling by a power of two is exact, so the bin of a value does not depend on earlier values.
  const float scale = static_cast<float>(std::ldexp(static_cast<double>(kBins) / 2.0, -exponent_));
  std::array<std::int32_t, kBlock> bins;
  for (std::size_t first = 0; first < count; first += kBlock) {
    const std::size_t size = std::min(kBlock, count - first);
    find_bins(values + first, size, scale, bins.data());
    for (std::size_t i = 0; i < size; ++i) ++counts_[static_cast<std::size_t>(bins[i])];
  }
}

void Histogram::merge(const Histogram& other) {
  if (other.counts_.empty()) {
    if (counts_.empty()) {
      zeros_before_range_ += other.zeros_before_range_;
    } else {
      counts_[kBins / 2] += other.zeros_before_range_;
    }
    return;
  }
  Histogram wide = other;
  const int exponent = counts_.empty() ? other.exponent_ : std::max(exponent_, other.exponent_);
  grow_to(exponent);
  wide.grow_to(exponent);
  for (std::size_t bin = 0; bin < kBins; ++bin) counts_[bin] += wide.counts_[bin];
}

}  // namespace lpot
