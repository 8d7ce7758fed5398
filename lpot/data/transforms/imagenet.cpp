#include "lpot/data/transforms/imagenet.h"

#include "lpot/core/registry.h"
#include "lpot/data/transforms/image.h"

namespace lpot {

Shift read_shift(const Component& component) {
  const std::vector<double>& mean = component.parameters.numbers("mean_value");
  if (mean.empty()) throw config_error(component, "mean_value: expected one number per channel, got an empty list");
  return {{mean.begin(), mean.end()}, static_cast<float>(component.parameters.number("scale"))};
}

Tensor float_image(const Tensor& image, const ImageLayout& layout, std::string_view transform) {
  if (layout.channels_first)
    throw DataError(transform, fmt::format("got {}, expected [height,width,channels]; move it in front of ToTensor and "
                                           "Transpose",
                                           image.describe()));
  return image.converted(ElementType::F32);
}

void apply(const Shift& shift, Tensor& image, std::string_view transform) {
  const std::size_t channels = image.shape()[2];
  const auto fits = [&](const std::vector<float>& values) { return values.size() == 1 || values.size() == channels; };
  if (!fits(shift.mean) || (!shift.deviation.empty() && !fits(shift.deviation)))
    throw DataError(transform, fmt::format("got {}, expected one channel per number in mean_value and std_value",
                                           image.describe()));
  auto* value = image.data<float>();
  for (std::size_t pixel = 0, count = image.size() / channels; pixel < count; ++pixel)
    for (std::size_t channel = 0; channel < channels; ++channel, ++value) {
      *value -= shift.mean[shift.mean.size() == 1 ? 0 : channel];
      if (shift.deviation.empty())
        *value *= shift.scale;
      else
        *value /= shift.deviation[shift.deviation.size() == 1 ? 0 : channel];
    }
}

}  // namespace lpot
