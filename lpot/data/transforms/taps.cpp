#include "lpot/data/transforms/taps.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lpot {
namespace {

struct Filter {
  double support = 0;  // weights are zero outside of it
  double (*weight)(double distance) = nullptr;
  bool widens = true;  // if an axis shrinks
};

double bilinear_weight(double distance) { return std::max(0.0, 1.0 - std::fabs(distance)); }

double bicubic_weight(double distance) {
  constexpr double kA = -0.5;
  const double x = std::fabs(distance);
  if (x < 1.0) return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1;
  if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * kA;
  return 0;
}

// The positions of all new pixels, with space for their weights. `window` returns the first source pixel and the end
// (exclusive).
template <typename Window>
Taps place_taps(std::size_t to, const Window& window) {
  Taps taps;
  for (std::size_t i = 0; i < to; ++i) {
    const auto [first, last] = window(i);
    taps.first.push_back(first);
    taps.count.push_back(last - first);
    taps.most = std::max(taps.most, last - first);
  }
  taps.weights.resize(to * taps.most);
  return taps;
}

Taps make_taps(std::size_t from, std::size_t to, const Filter& filter) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double stretch = filter.widens ? std::max(scale, 1.0) : 1.0;
  const double support = filter.support * stretch;
  const auto center = [scale](std::size_t i) { return (static_cast<double>(i) + 0.5) * scale; };
  // Rounded as in Pillow.
  Taps taps = place_taps(to, [&](std::size_t i) {
    const double first = std::max(0.0, center(i) - support + 0.5), last = center(i) + support + 0.5;
    return std::pair(static_cast<std::size_t>(first), std::min(from, static_cast<std::size_t>(last)));
  });
  for (std::size_t i = 0; i < to; ++i) {
    double* weights = taps.weights.data() + i * taps.most;
    double sum = 0;
    for (std::size_t tap = 0; tap < taps.count[i]; ++tap) {
      // Multiplies by the inverse like Pillow; a division would round differently.
      weights[tap] = filter.weight((static_cast<double>(taps.first[i] + tap) - center(i) + 0.5) * (1.0 / stretch));
      sum += weights[tap];
    }
    if (sum != 0)
      for (std::size_t tap = 0; tap < taps.count[i]; ++tap) weights[tap] /= sum;
  }
  return taps;
}

// The weight of a source pixel is the part of it that the new pixel covers.
Taps make_area_taps(std::size_t from, std::size_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const auto start = [scale](std::size_t i) { return static_cast<double>(i) * scale; };
  Taps taps = place_taps(to, [&](std::size_t i) {
    const auto first = static_cast<std::size_t>(start(i));
    std::size_t last = first;
    while (last < from && static_cast<double>(last) < start(i) + scale) ++last;
    return std::pair(first, last);
  });
  for (std::size_t i = 0; i < to; ++i)
    for (std::size_t tap = 0; tap < taps.count[i]; ++tap) {
      const auto pixel = static_cast<double>(taps.first[i] + tap);
      const double left = std::max(start(i), pixel), right = std::min(start(i) + scale, pixel + 1);
      taps.weights[i * taps.most + tap] = (right - left) / scale;
    }
  return taps;
}

std::int32_t in_fixed_point(double weight) {
  return static_cast<std::int32_t>(weight * (1 << kFractionBits) + (weight < 0 ? -0.5 : 0.5));
}

}  // namespace

Taps taps_for(Interpolation interpolation, std::size_t from, std::size_t to) {
  if (interpolation == Interpolation::Bicubic) return make_taps(from, to, {2, bicubic_weight});
  if (interpolation == Interpolation::Bilinear) return make_taps(from, to, {1, bilinear_weight});
  if (interpolation == Interpolation::Area && from > to) return make_area_taps(from, to);
  return make_taps(from, to, {1, bilinear_weight, false});
}

FixedTaps in_fixed_point(const Taps& taps, std::size_t from) {
  FixedTaps fixed;
  fixed.count = taps.most;
  fixed.weights.resize(taps.first.size() * fixed.count);
  for (std::size_t i = 0; i < taps.first.size(); ++i) {
    // At the end of the axis, taps start earlier with zero weights, so that they do not exceed the axis.
    fixed.first.push_back(std::min(taps.first[i], from - fixed.count));
    std::int32_t* weights = fixed.weights.data() + i * fixed.count + (taps.first[i] - fixed.first[i]);
    for (std::size_t tap = 0; tap < taps.count[i]; ++tap) weights[tap] = in_fixed_point(taps.weights_of(i)[tap]);
  }
  return fixed;
}

}  // namespace lpot
