#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

// Half of an odd margin is rounded to the even number, as in torchvision.
std::size_t crop_start(std::size_t margin) {
  const std::size_t half = margin / 2;
  return margin % 2 == 1 && half % 2 == 1 ? half + 1 : half;
}

Tensor center_crop(const Tensor& image, std::size_t height, std::size_t width) {
  const ImageLayout layout = image_layout(image, "CenterCrop");
  if (height > layout.height || width > layout.width)
    throw DataError("CenterCrop", fmt::format("got {}, expected at least {} x {}; add the transform Resize in front",
                                              image.describe(), height, width));
  return crop(image, layout, {crop_start(layout.height - height), crop_start(layout.width - width), height, width},
              "CenterCrop");
}

Transform make_center_crop(const Component& component) {
  const std::vector<std::size_t> size = read_size(component);
  return on_first_input(component, [height = size.front(), width = size.back()](const Tensor& image) {
    return center_crop(image, height, width);
  });
}

}  // namespace

TransformKind center_crop_transform() {
  return {{.name = "CenterCrop",
           .summary = "crops the center",
           .parameters = {{.name = "size",
                           .kind = ValueKind::IntegerList,
                           .required = true,
                           .summary = "one number for both sides, or [height, width]"}},
           .shorthand = "size"},
          make_center_crop};
}

}  // namespace lpot
