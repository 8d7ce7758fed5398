// Like torchvision's ToPILImage: moves channels last and converts floats in 0..1 to bytes.
#include <algorithm>

#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

std::uint8_t to_byte(double value) { return static_cast<std::uint8_t>(std::min(255.0, std::max(0.0, value * 255))); }

Tensor to_pil_image(const Tensor& image) {
  const ImageLayout layout = image_layout(image, "ToPILImage");
  const bool bytes = image.element_type() == ElementType::U8;
  if (!bytes && is_integer_type(image.element_type()))
    throw DataError("ToPILImage", fmt::format("got {}, expected u8 or floats in 0..1", image.describe()));
  if (bytes && !layout.channels_first) return image;
  Tensor result = Tensor::uninitialized(ElementType::U8, {layout.height, layout.width, layout.channels});
  const std::size_t pixels = layout.height * layout.width;
  auto* to = result.data<std::uint8_t>();
  for (std::size_t i = 0; i < pixels; ++i)
    for (std::size_t channel = 0; channel < layout.channels; ++channel) {
      const double value = image.value_at(layout.channels_first ? channel * pixels + i : i * layout.channels + channel);
      *to++ = bytes ? static_cast<std::uint8_t>(value) : to_byte(value);
    }
  return result;
}

}  // namespace

TransformKind to_pil_image_transform() {
  return {{.name = "ToPILImage", .summary = "converts to u8 [height,width,channels]; floats must be in 0..1"},
          [](const Component& component) { return on_first_input(component, to_pil_image); }};
}

}  // namespace lpot
