// Crops the center square. Its side is size / (size + crop_padding) of the shorter side of the image. Usually, a Resize
// to `size` follows.
#include <algorithm>

#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

Tensor padded_center_crop(const Tensor& image, double part) {
  const ImageLayout layout = image_layout(image, "PaddedCenterCrop");
  const auto side = static_cast<std::size_t>(part * static_cast<double>(std::min(layout.height, layout.width)));
  if (side == 0)
    throw DataError("PaddedCenterCrop",
                    fmt::format("got {}, which is too small for the crop; expected a larger image", image.describe()));
  // The larger half of an odd margin is at the top and left, as in EfficientNet's preprocessing.
  return crop(image, layout, {(layout.height - side + 1) / 2, (layout.width - side + 1) / 2, side, side},
              "PaddedCenterCrop");
}

Transform make_padded_center_crop(const Component& component) {
  const std::vector<std::size_t> size = read_size(component);
  const std::int64_t padding = component.parameters.integer("crop_padding");
  if (size.front() != size.back())
    throw config_error(component, fmt::format("size: expected a square, got {} x {}", size.front(), size.back()));
  if (padding < 0) throw config_error(component, fmt::format("crop_padding: expected 0 or more, got {}", padding));
  const auto side = static_cast<double>(size.front());
  const double part = side / (side + static_cast<double>(padding));
  return on_first_input(component, [part](const Tensor& image) { return padded_center_crop(image, part); });
}

}  // namespace

TransformKind padded_center_crop_transform() {
  return {{.name = "PaddedCenterCrop",
           .summary = "crops the center and leaves a margin",
           .parameters = {{.name = "size",
                           .kind = ValueKind::IntegerList,
                           .required = true,
                           .summary = "side of the square after a later Resize"},
                          {.name = "crop_padding",
                           .kind = ValueKind::Integer,
                           .default_value = "0",
                           .summary = "total margin of both sides, in pixels after the later Resize"}},
           .shorthand = "size"},
          make_padded_center_crop};
}

}  // namespace lpot
