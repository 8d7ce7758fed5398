// Pillow's resampling: one pass along the width, then one along the height, each a weighted sum of the pixels that the
// filter covers. When an axis shrinks, the filter is widened by the same factor, which is what prevents aliasing.
// For 8-bit images the weights are fixed-point numbers of 22 bits and each pass rounds to 8 bits; other types are
// summed in double. An axis that keeps its size is left alone. Nearest takes the pixel under the centre of the new one.
// Reference: Pillow 12, src/libImaging/Resample.c and Geometry.c. Pillow 13 does the height first where it shrinks much
// more than the width; the width is always first here, as in the versions that models were trained with.
#include "lpot/data/transforms/resample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "lpot/core/registry.h"

namespace lpot {
namespace {

constexpr int kFractionBits = 22;

struct Filter {
  double support = 0;  // weights are zero beyond it
  double (*weight)(double distance) = nullptr;
  bool widens = true;  // where an axis shrinks
};

double bilinear_weight(double distance) { return std::max(0.0, 1.0 - std::fabs(distance)); }

double bicubic_weight(double distance) {
  constexpr double kA = -0.5;
  const double x = std::fabs(distance);
  if (x < 1.0) return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1;
  if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * kA;
  return 0;
}

// The source pixels of one new pixel and their weights, which add up to 1.
struct Taps {
  std::size_t first = 0;
  std::vector<double> weights;
};

std::vector<Taps> make_taps(std::size_t from, std::size_t to, const Filter& filter) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double stretch = filter.widens ? std::max(scale, 1.0) : 1.0;
  const double support = filter.support * stretch;
  std::vector<Taps> all(to);
  for (std::size_t i = 0; i < to; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const auto first = static_cast<std::size_t>(std::max(0.0, center - support + 0.5));
    const std::size_t last = std::min(from, static_cast<std::size_t>(center + support + 0.5));
    Taps& taps = all[i];
    taps.first = first;
    double sum = 0;
    for (std::size_t x = first; x < last; ++x) {
      // Pillow multiplies by the inverse; a division would round differently.
      taps.weights.push_back(filter.weight((static_cast<double>(x) - center + 0.5) * (1.0 / stretch)));
      sum += taps.weights.back();
    }
    if (sum != 0)
      for (double& weight : taps.weights) weight /= sum;
  }
  return all;
}

// Each source pixel weighs what the new pixel covers of it.
std::vector<Taps> make_area_taps(std::size_t from, std::size_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  std::vector<Taps> all(to);
  for (std::size_t i = 0; i < to; ++i) {
    const double start = static_cast<double>(i) * scale, end = start + scale;
    all[i].first = static_cast<std::size_t>(start);
    for (std::size_t x = all[i].first; x < from && static_cast<double>(x) < end; ++x) {
      const double left = std::max(start, static_cast<double>(x)), right = std::min(end, static_cast<double>(x) + 1);
      all[i].weights.push_back((right - left) / scale);
    }
  }
  return all;
}

std::vector<Taps> taps_for(Interpolation interpolation, std::size_t from, std::size_t to) {
  if (interpolation == Interpolation::Bicubic) return make_taps(from, to, {2, bicubic_weight});
  if (interpolation == Interpolation::Bilinear) return make_taps(from, to, {1, bilinear_weight});
  if (interpolation == Interpolation::Area && from > to) return make_area_taps(from, to);
  return make_taps(from, to, {1, bilinear_weight, false});
}

// How an element type is summed: u8 in fixed point, float in double.
struct FixedPoint {
  using Element = std::uint8_t;
  using Sum = std::int32_t;
  static constexpr Sum kStart = 1 << (kFractionBits - 1);
  static Sum weight(double value) { return static_cast<Sum>(value * (1 << kFractionBits) + (value < 0 ? -0.5 : 0.5)); }
  static Element finish(Sum sum) { return static_cast<Element>(std::clamp(sum >> kFractionBits, 0, 255)); }
};

struct FloatingPoint {
  using Element = float;
  using Sum = double;
  static constexpr Sum kStart = 0;
  static Sum weight(double value) { return value; }
  static Element finish(Sum sum) { return static_cast<Element>(sum); }
};

// `sums` has room for the inner elements: an array, which stays in registers, when there are few.
template <typename Arithmetic, typename Sums>
void sum_taps(const Tensor& source, const Axis& axis, const std::vector<Taps>& taps, Tensor& result, Sums sums) {
  using Sum = typename Arithmetic::Sum;
  const auto* from = source.data<typename Arithmetic::Element>();
  auto* to = result.data<typename Arithmetic::Element>();
  std::vector<std::vector<Sum>> weights(taps.size());
  for (std::size_t i = 0; i < taps.size(); ++i)
    for (const double weight : taps[i].weights) weights[i].push_back(Arithmetic::weight(weight));

  for (std::size_t outer = 0; outer < axis.outer; ++outer, from += axis.length * axis.inner)
    for (std::size_t i = 0; i < taps.size(); ++i) {
      std::fill(sums.begin(), sums.end(), Arithmetic::kStart);
      const auto* element = from + taps[i].first * axis.inner;
      for (const Sum weight : weights[i])
        for (Sum& sum : sums) sum += static_cast<Sum>(*element++) * weight;
      for (const Sum sum : sums) *to++ = Arithmetic::finish(sum);
    }
}

template <typename Arithmetic>
Tensor resample_axis(const Tensor& source, const Axis& axis, Shape shape, const std::vector<Taps>& taps) {
  using Sum = typename Arithmetic::Sum;
  Tensor result(source.element_type(), std::move(shape));
  if (axis.inner == 1)
    sum_taps<Arithmetic>(source, axis, taps, result, std::array<Sum, 1>{});
  else if (axis.inner == 3)
    sum_taps<Arithmetic>(source, axis, taps, result, std::array<Sum, 3>{});
  else
    sum_taps<Arithmetic>(source, axis, taps, result, std::vector<Sum>(axis.inner));
  return result;
}

std::vector<std::size_t> nearest_places(std::size_t from, std::size_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  std::vector<std::size_t> places;
  // Added up step by step as Pillow does, so that the rounding is the same.
  double place = scale * 0.5;
  for (std::size_t i = 0; i < to; ++i, place += scale)
    places.push_back(std::min(from - 1, static_cast<std::size_t>(place)));
  return places;
}

Tensor nearest_axis(const Tensor& source, const Axis& axis, Shape shape, const std::vector<std::size_t>& places) {
  Tensor result(source.element_type(), std::move(shape));
  const std::size_t step = axis.inner * element_size(source.element_type());
  std::byte* to = result.bytes();
  for (std::size_t outer = 0; outer < axis.outer; ++outer)
    for (const std::size_t place : places)
      to = std::copy_n(source.bytes() + (outer * axis.length + place) * step, step, to);
  return result;
}

Tensor resize_axis(const Tensor& source, const Axis& axis, std::size_t length, Shape shape,
                   Interpolation interpolation) {
  if (axis.length == length) return source;
  if (interpolation == Interpolation::Nearest)
    return nearest_axis(source, axis, std::move(shape), nearest_places(axis.length, length));
  const std::vector<Taps> taps = taps_for(interpolation, axis.length, length);
  if (source.element_type() == ElementType::U8) return resample_axis<FixedPoint>(source, axis, std::move(shape), taps);
  return resample_axis<FloatingPoint>(source, axis, std::move(shape), taps);
}

}  // namespace

Interpolation read_interpolation(const Component& component) {
  const std::string& name = component.parameters.text("interpolation");
  if (name == "bilinear") return Interpolation::Bilinear;
  if (name == "nearest") return Interpolation::Nearest;
  if (name == "bicubic") return Interpolation::Bicubic;
  throw config_error(component, fmt::format("interpolation: expected bilinear, nearest or bicubic, got '{}'", name));
}

Parameter interpolation_parameter() {
  return {.name = "interpolation",
          .kind = ValueKind::Text,
          .default_value = "bilinear",
          .summary = "how pixels between pixels are worked out",
          .choices = {"bilinear", "nearest", "bicubic"}};
}

Tensor resample(const Tensor& image, const ImageLayout& layout, std::size_t height, std::size_t width,
                Interpolation interpolation) {
  const bool keeps_type = interpolation == Interpolation::Nearest || image.element_type() == ElementType::U8;
  const Tensor source = keeps_type ? image : image.converted(ElementType::F32);
  const Tensor wide = resize_axis(source, width_axis(layout), width, layout.shape(layout.height, width), interpolation);
  ImageLayout between = layout;
  between.width = width;
  return resize_axis(wide, height_axis(between), height, layout.shape(height, width), interpolation);
}

}  // namespace lpot
