#include "lpot/quantize/graph/activation_range.h"

#include <algorithm>
#include <cmath>

namespace lpot {

Range activation_levels(const Range& range, Symmetry symmetry) {
  constexpr float kSteps = 255.0f;
  if (range.low == 0.0f && range.high == 0.0f) return {0.0f, 1.0f};
  if (range.low == 0.0f) return range;
  if (symmetry == Symmetry::Symmetric) return {-range.high * 128.0f / 127.0f, range.high};
  // The zero level must be a whole number. Of the two whole numbers next to the exact position, use the one with the
  // smaller step that still covers both ends of the range.
  const auto step_at = [&](float level) {
    return std::max(-range.low / level, level < kSteps ? range.high / (kSteps - level) : 0.0f);
  };
  const float highest = range.high > 0.0f ? kSteps - 1.0f : kSteps;
  const float exact = -range.low / (range.high - range.low) * kSteps;
  const float below = std::clamp(std::floor(exact), 1.0f, highest), above = std::clamp(std::ceil(exact), 1.0f, highest);
  const float zero_level = step_at(below) <= step_at(above) ? below : above;
  const float step = step_at(zero_level);
  return {-zero_level * step, (kSteps - zero_level) * step};
}

}  // namespace lpot
