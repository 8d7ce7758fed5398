// Rows of pixels made of weighted pixels, the inner loops of resampling: along a row, and across rows.
//
// Bytes are summed in fixed point and rounded, floats in double; the results are those of Pillow's loops to the bit,
// whatever instructions the CPU has.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "lpot/data/transforms/taps.h"

namespace lpot {

// A row of pixels that have `channels` values each.
template <typename Element>
struct PixelRow {
  const Element* values = nullptr;
  std::size_t pixels = 0;
  std::size_t channels = 1;
};

// The row with as many pixels as there are taps.
void sum_along(const PixelRow<std::uint8_t>&, const FixedTaps&, std::uint8_t* to);
void sum_along(const PixelRow<float>&, const Taps&, float* to);

// The sum of rows of equal length, weighted each as a whole.
void sum_across(std::span<const std::uint8_t* const> rows, const std::int32_t* weights, std::span<std::uint8_t> to);
void sum_across(std::span<const float* const> rows, const double* weights, std::span<float> to);

}  // namespace lpot
