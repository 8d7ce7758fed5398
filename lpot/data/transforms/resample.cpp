// Pillow's resampling: first along the width, then along the height. Each new pixel is a weighted sum of the pixels
// under the filter (taps.cpp). When an axis shrinks, the filter is widened by the same factor to prevent aliasing. For
// 8-bit images, the weights are 22-bit fixed-point numbers and each sum is rounded to 8 bits; other types are summed in
// double. An axis that keeps its size is not resampled. Nearest copies the pixel under the center of the new pixel.
//
// Reference: Pillow 12, src/libImaging/Resample.c and Geometry.c. Pillow 13 resamples the height first if it shrinks
// much more than the width. This code always starts with the width, like the versions with which models were trained.
#include "lpot/data/transforms/resample.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "lpot/core/registry.h"
#include "lpot/data/transforms/taps.h"
#include "lpot/data/transforms/weighted_sums.h"

namespace lpot {
namespace {

struct TargetSize {
  std::size_t height = 0, width = 0;
};

// The taps of both axes. An axis that keeps its size has no taps.
template <typename AxisTaps>
struct ImageTaps {
  std::optional<AxisTaps> along, across;
  std::size_t most_rows = 1;  // maximum number of source rows for one new row
};

// Source rows of one plane, resampled to the new width. Each row is computed once and reused for the new rows that
// share it.
template <typename Element, typename AxisTaps>
class WideRows {
 public:
  WideRows(const PixelRow<Element>& first_row, const ImageTaps<AxisTaps>& taps, std::size_t row_values)
      : first_row_(first_row),
        along_(taps.along),
        row_values_(row_values),
        most_rows_(taps.most_rows),
        cache_(taps.along ? taps.most_rows * row_values : 0) {}

  // A row is valid until most_rows later rows were requested. Rows must be requested in ascending order, except for the
  // rows that the current new row shares with the previous one.
  const Element* at(std::size_t row) {
    PixelRow<Element> source = first_row_;
    source.values += row * source.pixels * source.channels;
    if (!along_) return source.values;
    Element* stored_row = cache_.data() + row % most_rows_ * row_values_;
    if (row >= made_) {
      sum_along(source, *along_, stored_row);
      made_ = row + 1;
    }
    return stored_row;
  }

 private:
  PixelRow<Element> first_row_;
  const std::optional<AxisTaps>& along_;
  std::size_t row_values_, most_rows_;
  std::vector<Element> cache_;
  std::size_t made_ = 0;
};

template <typename Element, typename AxisTaps>
Tensor resample_rows(const Tensor& source, const ImageLayout& layout, const TargetSize& size,
                     const ImageTaps<AxisTaps>& taps) {
  Tensor result = Tensor::uninitialized(source.element_type(), layout.shape(size.height, size.width));
  const std::size_t channels = layout.channels_first ? 1 : layout.channels;
  const std::size_t row_values = size.width * channels;
  const Element* plane = source.data<Element>();
  Element* to = result.data<Element>();
  std::vector<const Element*> rows;
  for (std::size_t i = 0; i < plane_count(layout); ++i, plane += layout.height * layout.width * channels) {
    WideRows<Element, AxisTaps> wide({plane, layout.width, channels}, taps, row_values);
    for (std::size_t row = 0; row < size.height; ++row, to += row_values) {
      if (!taps.across) {
        std::copy_n(wide.at(row), row_values, to);
        continue;
      }
      rows.resize(taps.across->count_of(row));
      for (std::size_t tap = 0; tap < rows.size(); ++tap) rows[tap] = wide.at(taps.across->first[row] + tap);
      sum_across(rows, taps.across->weights_of(row), std::span(to, row_values));
    }
  }
  return result;
}

std::vector<std::size_t> nearest_places(std::size_t from, std::size_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  std::vector<std::size_t> places;
  // Positions are accumulated step by step as in Pillow, so that the rounding is the same.
  double place = scale * 0.5;
  for (std::size_t i = 0; i < to; ++i, place += scale)
    places.push_back(std::min(from - 1, static_cast<std::size_t>(place)));
  return places;
}

Tensor nearest_axis(const Tensor& source, const Axis& axis, Shape shape, const std::vector<std::size_t>& places) {
  if (axis.length == places.size()) return source;
  Tensor result = Tensor::uninitialized(source.element_type(), std::move(shape));
  const std::size_t step = axis.inner * element_size(source.element_type());
  std::byte* to = result.bytes();
  for (std::size_t outer = 0; outer < axis.outer; ++outer)
    for (const std::size_t place : places)
      to = std::copy_n(source.bytes() + (outer * axis.length + place) * step, step, to);
  return result;
}

Tensor resample_nearest(const Tensor& image, const ImageLayout& layout, const TargetSize& size) {
  const Tensor wide = nearest_axis(image, width_axis(layout), layout.shape(layout.height, size.width),
                                   nearest_places(layout.width, size.width));
  ImageLayout between = layout;
  between.width = size.width;
  return nearest_axis(wide, height_axis(between), layout.shape(size.height, size.width),
                      nearest_places(layout.height, size.height));
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
          .summary = "interpolation method",
          .choices = {"bilinear", "nearest", "bicubic"}};
}

Tensor resample(const Tensor& image, const ImageLayout& layout, std::size_t height, std::size_t width,
                Interpolation interpolation) {
  const TargetSize size{height, width};
  if (interpolation == Interpolation::Nearest) return resample_nearest(image, layout, size);
  const bool is_bytes = image.element_type() == ElementType::U8;
  if (layout.height == height && layout.width == width) return is_bytes ? image : image.converted(ElementType::F32);
  ImageTaps<Taps> taps;
  if (layout.width != width) taps.along = taps_for(interpolation, layout.width, width);
  if (layout.height != height) taps.across = taps_for(interpolation, layout.height, height);
  if (taps.across) taps.most_rows = taps.across->most;
  if (!is_bytes) return resample_rows<float>(image.converted(ElementType::F32), layout, size, taps);
  ImageTaps<FixedTaps> fixed;
  fixed.most_rows = taps.most_rows;
  if (taps.along) fixed.along = in_fixed_point(*taps.along, layout.width);
  if (taps.across) fixed.across = in_fixed_point(*taps.across, layout.height);
  return resample_rows<std::uint8_t>(image, layout, size, fixed);
}

}  // namespace lpot
