#include <array>

#include "lpot/data/transforms/kinds.h"

namespace lpot {
namespace {

Tensor to_tensor(const Tensor& image) {
  if (image.element_type() != ElementType::U8 || image.shape().size() != 3)
    throw DataError("ToTensor",
                    fmt::format("got {}, expected u8 [height,width,channels]; move ToTensor in front of Normalize, "
                                "Rescale and Cast",
                                image.describe()));
  const std::size_t channels = image.shape()[2];
  const std::size_t pixels = image.shape()[0] * image.shape()[1];
  Tensor result = Tensor::uninitialized(ElementType::F32, {channels, image.shape()[0], image.shape()[1]});
  // A lookup table is faster than a division, because the values of a channel are not contiguous as SIMD needs.
  std::array<float, 256> quotients;
  for (std::size_t i = 0; i < quotients.size(); ++i) quotients[i] = static_cast<float>(i) / 255.0f;
  const auto* from = image.data<std::uint8_t>();
  auto* to = result.data<float>();
  for (std::size_t channel = 0; channel < channels; ++channel)
    for (std::size_t i = 0; i < pixels; ++i) *to++ = quotients[from[i * channels + channel]];
  return result;
}

}  // namespace

TransformKind to_tensor_transform() {
  return {{.name = "ToTensor", .summary = "converts u8 [height,width,channels] to f32 [channels,height,width] in 0..1"},
          [](const Component& component) { return on_first_input(component, to_tensor); }};
}

}  // namespace lpot
