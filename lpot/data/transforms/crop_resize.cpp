#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"
#include "lpot/data/transforms/resample.h"

namespace lpot {
namespace {

Transform make_crop_resize(const Component& component) {
  const Area window{read_offset(component, "y"), read_offset(component, "x"), read_side(component, "height"),
                    read_side(component, "width")};
  const std::vector<std::size_t> size = read_size(component);
  const Interpolation interpolation = read_interpolation(component);
  return on_first_input(component, [=](const Tensor& image) {
    ImageLayout layout = image_layout(image, "CropResize");
    const Tensor part = crop(image, layout, window, "CropResize");
    layout.height = window.height;
    layout.width = window.width;
    return resample(part, layout, size.front(), size.back(), interpolation);
  });
}

Parameter crop_side(const std::string& name, const std::string& summary) {
  return {.name = name, .kind = ValueKind::Integer, .required = true, .summary = summary};
}

}  // namespace

TransformKind crop_resize_transform() {
  return {{.name = "CropResize",
           .summary = "cuts out a part at a given place and resizes it, as Pillow does",
           .parameters = {crop_side("x", "columns left of the part"),
                          crop_side("y", "rows above it"),
                          crop_side("width", "its width"),
                          crop_side("height", "its height"),
                          {.name = "size",
                           .kind = ValueKind::IntegerList,
                           .required = true,
                           .summary = "one side for both, or [height, width]"},
                          interpolation_parameter()}},
          make_crop_resize};
}

}  // namespace lpot
