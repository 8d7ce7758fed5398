// percentile: the range that contains all but a given share of the values. The share is split evenly between both ends.
//
// A cheap protection against single outliers. The result is an edge of a histogram bin, slightly outside the exact
// quantile but never outside the observed values. A tensor without negative values is clipped only at its upper end.
#include <algorithm>
#include <cmath>

#include "lpot/calibrate/range.h"

namespace lpot {
namespace {

// The number of values that may be clipped at one end.
std::uint64_t max_clipped(const Histogram& histogram, double share) {
  return static_cast<std::uint64_t>(std::floor(share * static_cast<double>(histogram.total())));
}

double upper_edge(const Histogram& histogram, std::uint64_t cut) {
  std::uint64_t above = 0;
  for (std::size_t bin = Histogram::kBins; bin-- > 0;) {
    above += histogram.counts()[bin];
    if (above > cut) return histogram.bin_low(bin + 1);
  }
  return 0;
}

double lower_edge(const Histogram& histogram, std::uint64_t cut) {
  std::uint64_t below = 0;
  for (std::size_t bin = 0; bin < Histogram::kBins; ++bin) {
    below += histogram.counts()[bin];
    if (below > cut) return histogram.bin_low(bin);
  }
  return 0;
}

}  // namespace

Range percentile_range(const TensorStatistics& statistics, const RangeOptions& options) {
  const Range whole = minmax_range(statistics, {.symmetry = Symmetry::Asymmetric});
  const Histogram& histogram = statistics.histogram();
  if (histogram.counts().empty()) return whole;
  const double outside = 1.0 - options.percentile / 100.0;
  const std::uint64_t cut = max_clipped(histogram, whole.low < 0 ? outside / 2 : outside);
  const float low = std::clamp(static_cast<float>(lower_edge(histogram, cut)), whole.low, 0.0f);
  const float high = std::clamp(static_cast<float>(upper_edge(histogram, cut)), 0.0f, whole.high);
  if (options.symmetry == Symmetry::Asymmetric || whole.low == 0.0f) return {low, high};
  const float largest = std::max(-low, high);
  return {-largest, largest};
}

}  // namespace lpot
