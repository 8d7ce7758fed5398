// mse: the range with the smallest mean squared quantization error of the observed values (the idea of Banner et al.,
// "Post training 4-bit quantization of convolutional networks", 2019, with a search instead of a formula).
//
// Inside the range a value has a uniformly distributed rounding error of variance step^2 / 12. Outside, its error is
// the distance to the end of the range. Exact zeros have no error in any range and are ignored. The candidates are the
// same as for kl (candidates.h).
#include <cmath>

#include "lpot/calibrate/range.h"
#include "lpot/calibrate/ranges/candidates.h"

namespace lpot {
namespace {

double squared_error(const Histogram& histogram, const Range& range, double levels) {
  const double step = (static_cast<double>(range.high) - static_cast<double>(range.low)) / (levels - 1);
  const double rounding = step * step / 12;
  double sum = 0;
  for (std::size_t bin = 0; bin < Histogram::kBins; ++bin) {
    const std::uint64_t count = histogram.counts()[bin];
    if (count == 0 || bin == Histogram::kBins / 2) continue;
    const double value = histogram.bin_low(bin) + histogram.bin_width() / 2;
    const double outside = value < range.low ? range.low - value : value > range.high ? value - range.high : 0;
    sum += static_cast<double>(count) * (outside > 0 ? outside * outside : rounding);
  }
  return sum;
}

}  // namespace

Range mse_range(const TensorStatistics& statistics, const RangeOptions& options) {
  const Range whole = minmax_range(statistics, options);
  const Histogram& histogram = statistics.histogram();
  if (histogram.counts().empty()) return whole;
  const double levels = std::ldexp(1.0, options.bits);
  return best_candidate(whole, [&](const Range& range) { return squared_error(histogram, range, levels); });
}

}  // namespace lpot
