#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

// Luma of an RGB pixel (ITU-R 601-2), in Pillow's fixed-point arithmetic for bytes.
std::uint8_t grey(const std::uint8_t* pixel) {
  return static_cast<std::uint8_t>((pixel[0] * 19595 + pixel[1] * 38470 + pixel[2] * 7471 + 0x8000) >> 16);
}
float grey(const float* pixel) { return pixel[0] * 0.299f + pixel[1] * 0.587f + pixel[2] * 0.114f; }

// Supported: 1 channel to any number, 3 channels to 1, 4 channels to 3.
template <typename T>
Tensor convert(const Tensor& image, std::size_t from_channels, std::size_t to_channels) {
  const std::size_t pixels = image.size() / from_channels;
  Tensor result(image.element_type(), {image.shape()[0], image.shape()[1], to_channels});
  const T* from = image.data<T>();
  T* to = result.data<T>();
  for (std::size_t i = 0; i < pixels; ++i, from += from_channels)
    for (std::size_t channel = 0; channel < to_channels; ++channel)
      *to++ = from_channels == 1 ? from[0] : to_channels == 1 ? grey(from) : from[channel];
  return result;
}

Tensor align(const Tensor& image, std::size_t wanted) {
  const Shape& shape = image.shape();
  const std::size_t channels = shape.size() == 2 ? 1 : shape.size() == 3 ? shape[2] : 0;
  if (channels == wanted && shape.size() == 3) return image;
  const bool possible = channels == 1 || (channels == 3 && wanted == 1) || (channels == 4 && wanted == 3);
  if (possible && image.element_type() == ElementType::U8) return convert<std::uint8_t>(image, channels, wanted);
  if (possible && image.element_type() == ElementType::F32) return convert<float>(image, channels, wanted);
  throw DataError(
      "AlignImageChannel",
      fmt::format("got {}, expected u8 or f32 [height,width,channels] that can be converted to {} channels. "
                  "Supported are 1 to any number, 3 to 1 and 4 to 3 channels",
                  image.describe(), wanted));
}

Transform make_align_image_channel(const Component& component) {
  const std::int64_t dim = component.parameters.integer("dim");
  if (dim < 1 || dim > 4) throw config_error(component, fmt::format("dim: expected 1 to 4, got {}", dim));
  return on_first_input(component,
                        [wanted = static_cast<std::size_t>(dim)](const Tensor& image) { return align(image, wanted); });
}

}  // namespace

TransformKind align_image_channel_transform() {
  return {{.name = "AlignImageChannel",
           .summary = "changes the number of channels: repeats grey, converts RGB to grey or drops alpha",
           .parameters = {{.name = "dim",
                           .kind = ValueKind::Integer,
                           .default_value = "3",
                           .summary = "number of channels of the result"}},
           .shorthand = "dim"},
          make_align_image_channel};
}

}  // namespace lpot
