// Reverses the order of the channels: RGB, as data sets give images, becomes BGR, as networks of Caffe and OpenCV
// expect them.
#include <algorithm>
#include <cstring>

#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

Tensor reverse_channels(const Tensor& image) {
  const ImageLayout layout = image_layout(image, "ReverseChannels");
  Tensor result = Tensor::uninitialized(image.element_type(), image.shape());
  // Channels are pieces of bytes: whole planes if channels are first, single elements if they are last.
  const std::size_t pixels = layout.height * layout.width;
  const std::size_t piece = element_size(image.element_type()) * (layout.channels_first ? pixels : 1);
  const std::size_t groups = layout.channels_first ? 1 : pixels;
  for (std::size_t group = 0; group < groups; ++group)
    for (std::size_t channel = 0; channel < layout.channels; ++channel) {
      const std::size_t first = group * layout.channels;
      std::memcpy(result.bytes() + (first + channel) * piece,
                  image.bytes() + (first + layout.channels - 1 - channel) * piece, piece);
    }
  return result;
}

}  // namespace

TransformKind reverse_channels_transform() {
  return {{.name = "ReverseChannels", .summary = "reverses the order of the channels: RGB becomes BGR"},
          [](const Component& component) { return on_first_input(component, reverse_channels); }};
}

}  // namespace lpot
