#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

Transform make_crop_to_bounding_box(const Component& component) {
  const Area window{read_offset(component, "offset_height"), read_offset(component, "offset_width"),
                    read_side(component, "target_height"), read_side(component, "target_width")};
  return on_first_input(component, [window](const Tensor& image) {
    return crop(image, image_layout(image, "CropToBoundingBox"), window, "CropToBoundingBox");
  });
}

Parameter box_side(const std::string& name, const std::string& summary) {
  return {.name = name, .kind = ValueKind::Integer, .required = true, .summary = summary};
}

}  // namespace

TransformKind crop_to_bounding_box_transform() {
  return {
      {.name = "CropToBoundingBox",
       .summary = "crops at a given position",
       .parameters = {box_side("offset_height", "top row of the crop"),
                      box_side("offset_width", "left column of the crop"),
                      box_side("target_height", "height of the crop"), box_side("target_width", "width of the crop")}},
      make_crop_to_bounding_box};
}

}  // namespace lpot
