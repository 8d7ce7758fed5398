// The ranges that a search tries.
#pragma once
#include <algorithm>

#include "lpot/calibrate/range.h"

namespace lpot {

// The best of `whole` and its parts inside a bound on absolute values, the bound going from all to an eighth of the
// largest value in 128ths: less would clip most of any real tensor. An asymmetric range is cut where it reaches beyond
// the bound, the longer side first, so one far outlier does not cost the other side. Of equals the widest wins.
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
