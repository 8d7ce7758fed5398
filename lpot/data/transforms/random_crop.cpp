#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

Tensor random_crop(const Tensor& image, std::size_t height, std::size_t width, RandomGenerator& random) {
  const ImageLayout layout = image_layout(image, "RandomCrop");
  Area window{0, 0, height, width};  // crop() throws if it is too large
  if (height < layout.height) window.top = random.below(layout.height - height + 1);
  if (width < layout.width) window.left = random.below(layout.width - width + 1);
  return crop(image, layout, window, "RandomCrop");
}

Transform make_random_crop(const Component& component) {
  const std::vector<std::size_t> size = read_size(component);
  return at_random(component,
                   [height = size.front(), width = size.back()](const Tensor& image, RandomGenerator& random) {
                     return random_crop(image, height, width, random);
                   });
}

}  // namespace

TransformKind random_crop_transform() {
  return {{.name = "RandomCrop",
           .summary = "crops at a random position",
           .parameters = {{.name = "size",
                           .kind = ValueKind::IntegerList,
                           .required = true,
                           .summary = "one number for both sides, or [height, width]"}},
           .shorthand = "size"},
          make_random_crop};
}

}  // namespace lpot
