// minmax: the range of all observed values. Nothing is clipped, but one outlier makes every step larger.
#include <algorithm>

#include "lpot/calibrate/range.h"

namespace lpot {

Range minmax_range(const TensorStatistics& statistics, const RangeOptions& options) {
  const float low = std::min(0.0f, statistics.min());
  const float high = std::max(0.0f, statistics.max());
  if (options.symmetry == Symmetry::Asymmetric || low == 0.0f) return {low, high};
  const float largest = std::max(-low, high);
  return {-largest, largest};
}

}  // namespace lpot
