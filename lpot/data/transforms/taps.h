// The source pixels and weights of each resampled pixel along an axis, computed once per image.
//
//   Taps taps = taps_for(Interpolation::Bilinear, 500, 341);
//   double pixel_5 = 0;
//   for (std::size_t i = 0; i < taps.count_of(5); ++i) pixel_5 += taps.weights_of(5)[i] * row[taps.first[5] + i];
//
// The weights of a pixel add up to 1.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lpot/data/transforms/resample.h"

namespace lpot {

struct Taps {
  std::vector<std::size_t> first, count;
  std::size_t most = 0;         // the largest count
  std::vector<double> weights;  // `most` per pixel

  std::size_t count_of(std::size_t pixel) const { return count[pixel]; }
  const double* weights_of(std::size_t pixel) const { return weights.data() + pixel * most; }
};

// The taps to resample an axis of `from` pixels to `to` pixels. Nearest has no weights.
Taps taps_for(Interpolation, std::size_t from, std::size_t to);

// The same for bytes: integer weights, padded with zeros to the same count for all pixels.
struct FixedTaps {
  std::vector<std::size_t> first;
  std::size_t count = 0;
  std::vector<std::int32_t> weights;

  std::size_t count_of(std::size_t) const { return count; }
  const std::int32_t* weights_of(std::size_t pixel) const { return weights.data() + pixel * count; }
};
inline constexpr int kFractionBits = 22;

FixedTaps in_fixed_point(const Taps&, std::size_t from);

}  // namespace lpot
