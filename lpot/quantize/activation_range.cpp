#include "lpot/quantize/activation_range.h"

#include <algorithm>
#include <cmath>

namespace lpot {

Range activation_levels(const Range& range, Symmetry symmetry) {
  constexpr float kSteps = 255.0f;
  if (range.low == 0.0f && range.high == 0.0f) return {0.0f, 1.0f};
  if (range.low == 0.0f) return range;
  if (symmetry == Symmetry::Symmetric) return {-range.high * 128.0f / 127.0f, range.high};
  // The level of zero becomes a whole number; the end that would shrink is the one that is moved outwards.
  const float zero_level = std::clamp(std::nearbyint(-range.low / (range.high - range.low) * kSteps), 1.0f, kSteps);
  const float step = std::max(-range.low / zero_level, zero_level < kSteps ? range.high / (kSteps - zero_level) : 0.0f);
  return {-zero_level * step, (kSteps - zero_level) * step};
}

}  // namespace lpot
