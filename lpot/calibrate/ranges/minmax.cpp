// minmax: the range that holds every value that was seen. Nothing is clipped; one outlier widens every step.
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
