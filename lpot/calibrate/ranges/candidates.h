// The candidate ranges of a search.
#pragma once
#include <algorithm>

#include "lpot/calibrate/range.h"

namespace lpot {

// The candidate with the lowest cost. The candidates are `whole` and `whole` clipped to a bound on absolute values. The
// bound goes from the largest absolute value down to an eighth of it, in steps of 1/128; a smaller bound would clip
// most values of any real tensor. An asymmetric range is clipped only on the side that exceeds the bound, so one far
// outlier does not narrow the other side. If costs are equal, the widest candidate wins.
template <typename Cost>
Range best_candidate(const Range& whole, const Cost& cost) {
  constexpr int kCandidates = 128, kSmallest = 16;
  const float largest = std::max(-whole.low, whole.high);
  Range best = whole;
  double best_cost = cost(whole);
  for (int candidate = kCandidates - 1; candidate >= kSmallest; --candidate) {
    const float bound = largest * (static_cast<float>(candidate) / kCandidates);
    const Range range{std::max(whole.low, -bound), std::min(whole.high, bound)};
    if (const double found = cost(range); found < best_cost) {
      best = range;
      best_cost = found;
    }
  }
  return best;
}

}  // namespace lpot
