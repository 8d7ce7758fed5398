// Resizes the shorter side to 100 / scale of the given size and keeps the aspect ratio. Usually, a CenterCrop to the
// given size follows.
#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"
#include "lpot/data/transforms/resample.h"

namespace lpot {
namespace {

// The names or numbers of OpenCV's interpolation methods.
Interpolation read_method(const Component& component) {
  const std::string& name = component.parameters.text("inter_pol");
  if (name == "nearest" || name == "0") return Interpolation::Nearest;
  if (name == "linear" || name == "bilinear" || name == "1") return Interpolation::PlainBilinear;
  if (name == "cubic" || name == "bicubic" || name == "2") return Interpolation::Bicubic;
  return Interpolation::Area;
}

Transform make_resize_with_aspect_ratio(const Component& component) {
  const double scale = component.parameters.number("scale");
  if (!(scale > 0)) throw config_error(component, fmt::format("scale: expected a positive number, got {}", scale));
  const auto enlarged = [&](const std::string& name) {
    return static_cast<std::size_t>(100.0 * static_cast<double>(read_side(component, name)) / scale);
  };
  const std::size_t height = enlarged("height"), width = enlarged("width");
  if (height == 0 || width == 0)
    throw config_error(component, fmt::format("scale: {} is too large and gives an empty image", scale));
  const Interpolation method = read_method(component);
  return on_first_input(component, [=](const Tensor& image) {
    const ImageLayout layout = image_layout(image, "ResizeWithAspectRatio");
    if (layout.height > layout.width)
      return resample(image, layout, height * layout.height / layout.width, width, method);
    return resample(image, layout, height, width * layout.width / layout.height, method);
  });
}

}  // namespace

TransformKind resize_with_aspect_ratio_transform() {
  return {{.name = "ResizeWithAspectRatio",
           .summary = "resizes to slightly more than the given size for a later CenterCrop; keeps the aspect ratio",
           .parameters =
               {{.name = "height", .kind = ValueKind::Integer, .required = true, .summary = "height of the later crop"},
                {.name = "width", .kind = ValueKind::Integer, .required = true, .summary = "width of the later crop"},
                {.name = "scale",
                 .kind = ValueKind::Number,
                 .default_value = "87.5",
                 .summary = "size of the later crop in percent of the resized image"},
                {.name = "inter_pol",
                 .kind = ValueKind::Text,
                 .default_value = "area",
                 .summary = "OpenCV's interpolation method; cubic is Pillow's with anti-aliasing",
                 .choices = {"area", "linear", "bilinear", "nearest", "cubic", "bicubic", "0", "1", "2", "3"}}}},
          make_resize_with_aspect_ratio};
}

}  // namespace lpot
