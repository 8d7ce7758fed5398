#include "lpot/data/transforms/flip.h"

#include <algorithm>

#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

// Reverses the order of the elements along an axis.
Tensor flip(const Tensor& image, const Axis& axis) {
  Tensor result = Tensor::uninitialized(image.element_type(), image.shape());
  const std::size_t piece = axis.inner * element_size(image.element_type());
  std::byte* to = result.bytes();
  for (std::size_t outer = 0; outer < axis.outer; ++outer)
    for (std::size_t i = axis.length; i-- > 0;)
      to = std::copy_n(image.bytes() + (outer * axis.length + i) * piece, piece, to);
  return result;
}

}  // namespace

Tensor flip_left_right(const Tensor& image, const ImageLayout& layout) { return flip(image, width_axis(layout)); }

Tensor flip_upside_down(const Tensor& image, const ImageLayout& layout) { return flip(image, height_axis(layout)); }

TransformKind random_horizontal_flip_transform() {
  return {{.name = "RandomHorizontalFlip", .summary = "mirrors left and right with probability 0.5"},
          [](const Component& component) {
            return at_random(component, [](const Tensor& image, RandomGenerator& random) {
              return random.coin() ? flip_left_right(image, image_layout(image, "RandomHorizontalFlip")) : image;
            });
          }};
}

TransformKind random_vertical_flip_transform() {
  return {{.name = "RandomVerticalFlip", .summary = "mirrors top and bottom with probability 0.5"},
          [](const Component& component) {
            return at_random(component, [](const Tensor& image, RandomGenerator& random) {
              return random.coin() ? flip_upside_down(image, image_layout(image, "RandomVerticalFlip")) : image;
            });
          }};
}

}  // namespace lpot
