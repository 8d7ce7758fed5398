// Enlarges an image until its shorter side is min_dim, but never beyond max_dim for the longer side. Can pad the image
// to a square of max_dim and adjusts boxes in the label. Bilinear without anti-aliasing, like LPOT with OpenCV (LPOT
// passed height and width in the wrong order).
#include <algorithm>
#include <cmath>

#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"
#include "lpot/data/transforms/resample.h"

namespace lpot {
namespace {

struct Sides {
  std::size_t min = 0, max = 0;  // 0: no limit
};

struct Padding {
  bool on = false;
  double value = 0;
};

std::size_t scaled(std::size_t side, double scale) {
  return static_cast<std::size_t>(std::max(1.0, std::nearbyint(static_cast<double>(side) * scale)));
}

double find_scale(const ImageLayout& layout, const Sides& sides) {
  const std::size_t shorter = std::min(layout.height, layout.width), longer = std::max(layout.height, layout.width);
  double scale = 1;
  if (sides.min > 0) scale = std::max(1.0, static_cast<double>(sides.min) / static_cast<double>(shorter));
  if (sides.max > 0 && scaled(longer, scale) > sides.max)
    scale = static_cast<double>(sides.max) / static_cast<double>(longer);
  return scale;
}

Tensor filled(ElementType type, const Shape& shape, double value) {
  Tensor values(ElementType::F32, shape);
  std::fill_n(values.data<float>(), values.size(), static_cast<float>(value));
  return values.converted(type);
}

// Places the image at the center of a square.
Tensor pad(const Tensor& image, const ImageLayout& layout, std::size_t side, double value) {
  Tensor result = filled(image.element_type(), layout.shape(side, side), value);
  const std::size_t top = (side - layout.height) / 2, left = (side - layout.width) / 2;
  const std::size_t pixel = pixel_bytes(image, layout);
  const std::byte* from = image.bytes();
  for (std::size_t plane = 0; plane < plane_count(layout); ++plane)
    for (std::size_t row = 0; row < layout.height; ++row, from += layout.width * pixel)
      std::copy_n(from, layout.width * pixel, result.bytes() + ((plane * side + top + row) * side + left) * pixel);
  return result;
}

// Converts boxes to coordinates relative to the padded square.
Tensor move_boxes(const Tensor& label, const ImageLayout& layout, std::size_t side) {
  const bool boxes =
      !label.empty() && label.element_type() == ElementType::F32 && label.shape().size() == 2 && label.shape()[1] == 7;
  if (!boxes) return label;
  const float top = static_cast<float>((side - layout.height) / 2),
              left = static_cast<float>((side - layout.width) / 2);
  const float height = static_cast<float>(layout.height), width = static_cast<float>(layout.width);
  Tensor moved(ElementType::F32, label.shape());
  std::copy_n(label.data<float>(), label.size(), moved.data<float>());
  for (std::size_t row = 0; row < label.shape()[0]; ++row)
    for (std::size_t i = 0; i < 4; ++i) {
      float& place = moved.data<float>()[row * 7 + i];
      place = (i % 2 == 0 ? place * height + top : place * width + left) / static_cast<float>(side);
    }
  return moved;
}

Sample resize_with_ratio(Sample sample, const Sides& sides, const Padding& padding) {
  if (sample.inputs.empty()) throw DataError("ResizeWithRatio", "the sample has no input; expected at least one");
  ImageLayout layout = image_layout(sample.inputs[0], "ResizeWithRatio");
  const double scale = find_scale(layout, sides);
  const std::size_t height = scaled(layout.height, scale), width = scaled(layout.width, scale);
  Tensor image = resample(sample.inputs[0], layout, height, width, Interpolation::PlainBilinear);
  layout.height = height;
  layout.width = width;
  if (padding.on) {
    image = pad(image, layout, sides.max, padding.value);
    sample.label = move_boxes(sample.label, layout, sides.max);
  }
  sample.inputs[0] = std::move(image);
  return sample;
}

Transform make_resize_with_ratio(const Component& component) {
  const auto limit = [&](const std::string& name) {
    return component.parameters.integer(name) == 0 ? 0 : read_side(component, name);
  };
  const Sides sides{limit("min_dim"), limit("max_dim")};
  const Padding padding{component.parameters.flag("padding"), component.parameters.number("constant_value")};
  if (padding.on && sides.max == 0)
    throw config_error(component, "padding needs max_dim; set max_dim to a positive number");
  return {component.name,
          [=](Sample sample, std::uint64_t) { return resize_with_ratio(std::move(sample), sides, padding); },
          fmt::format("{}({})", component.name, component.parameters.describe())};
}

}  // namespace

TransformKind resize_with_ratio_transform() {
  return {{.name = "ResizeWithRatio",
           .summary = "enlarges and keeps the aspect ratio, can pad to a square; adjusts boxes",
           .parameters = {{.name = "min_dim",
                           .kind = ValueKind::Integer,
                           .default_value = "800",
                           .summary = "the shorter side is enlarged to this length; 0: unchanged"},
                          {.name = "max_dim",
                           .kind = ValueKind::Integer,
                           .default_value = "1365",
                           .summary = "maximum length of the longer side; 0: no limit"},
                          {.name = "padding",
                           .kind = ValueKind::Flag,
                           .default_value = "false",
                           .summary = "pad to a square of max_dim with the image at the center"},
                          {.name = "constant_value",
                           .kind = ValueKind::Number,
                           .default_value = "0",
                           .summary = "value of the padding"}}},
          make_resize_with_ratio};
}

}  // namespace lpot
