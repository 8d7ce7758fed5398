// A histogram of fixed size whose range doubles as needed.
//
// The range is [-limit, limit) and `limit` is a power of two. So growing merges pairs of bins exactly, and histograms
// of parts of the data can be merged in any order with the same result.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lpot {

class Histogram {
 public:
  static constexpr std::size_t kBins = 8192;

  // Counts finite values whose absolute values are at most `largest`.
  void add(const float* values, std::size_t count, float largest);
  void merge(const Histogram&);

  std::uint64_t total() const;
  double limit() const;  // 0 while only zeros were counted
  double bin_width() const { return 2.0 * limit() / kBins; }
  double bin_low(std::size_t bin) const { return (static_cast<double>(bin) - kBins / 2.0) * bin_width(); }
  // Counts by bin; zeros are in the bin that begins at zero. Empty while only zeros were counted.
  const std::vector<std::uint64_t>& counts() const { return counts_; }

  bool operator==(const Histogram&) const = default;

 private:
  friend class HistogramCodec;
  void grow_to(int exponent);

  int exponent_ = 0;  // limit = 2^exponent, meaningful once counts_ is filled
  std::uint64_t zeros_before_range_ = 0;
  std::vector<std::uint64_t> counts_;
};

}  // namespace lpot
