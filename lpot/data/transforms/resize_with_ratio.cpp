// Enlarges an image until its shorter side is min_dim, but never beyond max_dim for the longer side. Can pad the image
// to a square of max_dim and adjusts boxes in the label. Bilinear without anti-aliasing, like LPOT with OpenCV (LPOT
// passed height and width in the wrong order).
#include <algorithm>
#include <cmath>

#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"
#include "lpot/data/transforms/padding.h"
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

Sample resize_with_ratio(Sample sample, const Sides& sides, const Padding& padding) {
  if (sample.inputs.empty()) throw DataError("ResizeWithRatio", "the sample has no input; expected at least one");
  ImageLayout layout = image_layout(sample.inputs[0], "ResizeWithRatio");
  const double scale = find_scale(layout, sides);
  const std::size_t height = scaled(layout.height, scale), width = scaled(layout.width, scale);
  Tensor image = resample(sample.inputs[0], layout, height, width, Interpolation::PlainBilinear);
  layout.height = height;
  layout.width = width;
  if (padding.on) {
    const Canvas canvas{sides.max, sides.max, (sides.max - height) / 2, (sides.max - width) / 2};
    image = pad(image, layout, canvas, padding.value);
    sample.label = move_boxes(sample.label, layout, canvas);
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
