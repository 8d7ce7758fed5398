// The inner loops of resampling: weighted sums of pixels along a row and across rows.
//
// Bytes are summed in fixed point and rounded, floats in double. The results equal those of Pillow bit by bit on every
// CPU.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "lpot/data/transforms/taps.h"

namespace lpot {

// A row of pixels with `channels` values each.
template <typename Element>
struct PixelRow {
  const Element* values = nullptr;
  std::size_t pixels = 0;
  std::size_t channels = 1;
};

// Resamples a row; the result has one pixel per tap.
void sum_along(const PixelRow<std::uint8_t>&, const FixedTaps&, std::uint8_t* to);
void sum_along(const PixelRow<float>&, const Taps&, float* to);

// The weighted sum of rows of equal length, with one weight per row.
void sum_across(std::span<const std::uint8_t* const> rows, const std::int32_t* weights, std::span<std::uint8_t> to);
void sum_across(std::span<const float* const> rows, const double* weights, std::span<float> to);

}  // namespace lpot
