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
           .summary = "crops at a given position and resizes like Pillow",
           .parameters = {crop_side("x", "left column of the crop"),
                          crop_side("y", "top row of the crop"),
                          crop_side("width", "width of the crop"),
                          crop_side("height", "height of the crop"),
                          {.name = "size",
                           .kind = ValueKind::IntegerList,
                           .required = true,
                           .summary = "one number for both sides, or [height, width]"},
                          interpolation_parameter()}},
          make_crop_resize};
}

}  // namespace lpot
