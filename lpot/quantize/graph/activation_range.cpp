#include "lpot/quantize/graph/activation_range.h"

#include <algorithm>
#include <cmath>

namespace lpot {
namespace {

constexpr float kLastLevel = 255.0f;

// Whether the runtime finds exactly this zero point from the two ends. OpenVINO computes it in 32-bit floats like this
// (decomposeFakeQuantize in its low-precision transformations), and the product is rounded.
bool has_exact_zero_point(const Range& levels, float zero_level) {
  return -kLastLevel * levels.low / (levels.high - levels.low) == zero_level;
}

// The levels with about this step, of which the one at index `zero_level` is zero. The step is a multiple of 2^-16 of
// the next power of two, so its product with a level of 8 bits is exact.
Range levels_of(float step, float zero_level) {
  constexpr int kBits = 16;
  int exponent = 0;
  const float mantissa = std::ldexp(std::frexp(step, &exponent), kBits);
  const auto levels_at = [&](float whole) {
    const float exact = std::ldexp(whole, exponent - kBits);
    return Range{-zero_level * exact, (kLastLevel - zero_level) * exact};
  };
  if (zero_level == 0.0f) return {0.0f, levels_at(std::floor(mantissa)).high};
  // Most steps are exact. Every 256th is, because its product with 255 and the zero level has 24 bits.
  constexpr int kAttempts = 256;
  const float first = std::ceil(mantissa);
  for (int i = 0; i < kAttempts; ++i)
    if (const Range levels = levels_at(first + static_cast<float>(i)); has_exact_zero_point(levels, zero_level))
      return levels;
  return levels_at(first);  // the step is too small or too large for exact floats
}

}  // namespace

Range activation_levels(const Range& range, Symmetry symmetry) {
  if (range.low == 0.0f && range.high == 0.0f) return levels_of(1.0f / kLastLevel, 0.0f);
  if (range.low == 0.0f) return levels_of(range.high / kLastLevel, 0.0f);
  if (symmetry == Symmetry::Symmetric) return levels_of(range.high / 127.0f, 128.0f);
  // The zero level must be a whole number. Of the two whole numbers next to the exact position, use the one with the
  // smaller step that still covers both ends of the range.
  const auto step_at = [&](float level) {
    return std::max(-range.low / level, level < kLastLevel ? range.high / (kLastLevel - level) : 0.0f);
  };
  const float highest = range.high > 0.0f ? kLastLevel - 1.0f : kLastLevel;
  const float exact = -range.low / (range.high - range.low) * kLastLevel;
  const float below = std::clamp(std::floor(exact), 1.0f, highest), above = std::clamp(std::ceil(exact), 1.0f, highest);
  const float zero_level = step_at(below) <= step_at(above) ? below : above;
  return levels_of(step_at(zero_level), zero_level);
}

Quantization::Quantization(const Range& levels) {
  scale = (levels.high - levels.low) / kLastLevel;
  zero_point = static_cast<int>(std::lround(-levels.low / scale));
  is_signed = zero_point == 128;
  if (is_signed) zero_point = 0;
}

}  // namespace lpot
