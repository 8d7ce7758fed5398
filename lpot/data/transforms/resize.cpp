#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"
#include "lpot/data/transforms/resample.h"

namespace lpot {
namespace {

Tensor resize(const Tensor& image, const std::vector<std::size_t>& size, Interpolation interpolation) {
  const ImageLayout layout = image_layout(image, "Resize");
  if (size.size() == 2) return resample(image, layout, size[0], size[1], interpolation);
  // The longer side is truncated to an integer, as in torchvision.
  const std::size_t side = size[0];
  if (layout.width <= layout.height)
    return resample(image, layout, side * layout.height / layout.width, side, interpolation);
  return resample(image, layout, side, side * layout.width / layout.height, interpolation);
}

Transform make_resize(const Component& component) {
  const std::vector<std::size_t> size = read_size(component);
  const Interpolation interpolation = read_interpolation(component);
  return on_first_input(component, [=](const Tensor& image) { return resize(image, size, interpolation); });
}

}  // namespace

TransformKind resize_transform() {
  return {{.name = "Resize",
           .summary = "resizes an image like Pillow",
           .parameters = {{.name = "size",
                           .kind = ValueKind::IntegerList,
                           .required = true,
                           .summary = "length of the shorter side (keeps the aspect ratio), or [height, width]"},
                          interpolation_parameter()},
           .shorthand = "size"},
          make_resize};
}

}  // namespace lpot
