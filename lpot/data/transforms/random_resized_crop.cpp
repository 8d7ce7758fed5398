// Crops a random area with a random aspect ratio and resizes it, as in torchvision: up to ten attempts to find a crop
// that fits, then the center with the nearest allowed aspect ratio.
#include <algorithm>
#include <cmath>

#include "lpot/data/transforms/image.h"
#include "lpot/data/transforms/kinds.h"
#include "lpot/data/transforms/resample.h"

namespace lpot {
namespace {

struct Span {
  double low = 0, high = 0;
};

std::size_t rounded(double value) { return static_cast<std::size_t>(std::max(1.0, std::nearbyint(value))); }

Area middle(const ImageLayout& layout, const Span& ratio) {
  const auto height = static_cast<double>(layout.height), width = static_cast<double>(layout.width);
  Area window{0, 0, layout.height, layout.width};
  if (width / height < ratio.low) window.height = std::min(layout.height, rounded(width / ratio.low));
  if (width / height > ratio.high) window.width = std::min(layout.width, rounded(height * ratio.high));
  window.top = (layout.height - window.height) / 2;
  window.left = (layout.width - window.width) / 2;
  return window;
}

Area draw_window(const ImageLayout& layout, const Span& scale, const Span& ratio, RandomGenerator& random) {
  const auto pixels = static_cast<double>(layout.height * layout.width);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = random.uniform(scale.low, scale.high) * pixels;
    const double proportion = std::exp(random.uniform(std::log(ratio.low), std::log(ratio.high)));
    const std::size_t width = rounded(std::sqrt(area * proportion)), height = rounded(std::sqrt(area / proportion));
    if (width > layout.width || height > layout.height) continue;
    const std::size_t top = random.below(layout.height - height + 1);
    return {top, random.below(layout.width - width + 1), height, width};
  }
  return middle(layout, ratio);
}

Span read_span(const Component& component, const std::string& name) {
  const std::vector<double>& given = component.parameters.numbers(name);
  if (given.size() != 2 || !(given[0] > 0) || !(given[0] <= given[1]))
    throw config_error(component, fmt::format("{}: expected two positive numbers [min, max]", name));
  return {given[0], given[1]};
}

Transform make_random_resized_crop(const Component& component) {
  const std::vector<std::size_t> size = read_size(component);
  const Interpolation interpolation = read_interpolation(component);
  const Span scale = read_span(component, "scale"), ratio = read_span(component, "ratio");
  return at_random(component, [=](const Tensor& image, RandomGenerator& random) {
    const ImageLayout layout = image_layout(image, "RandomResizedCrop");
    const Tensor part = crop(image, layout, draw_window(layout, scale, ratio, random), "RandomResizedCrop");
    ImageLayout cut = layout;
    cut.height = part.shape()[layout.channels_first ? 1 : 0];
    cut.width = part.shape()[layout.channels_first ? 2 : 1];
    return resample(part, cut, size.front(), size.back(), interpolation);
  });
}

}  // namespace

TransformKind random_resized_crop_transform() {
  return {{.name = "RandomResizedCrop",
           .summary = "crops a random area and resizes it",
           .parameters = {{.name = "size",
                           .kind = ValueKind::IntegerList,
                           .required = true,
                           .summary = "one number for both sides, or [height, width]"},
                          {.name = "scale",
                           .kind = ValueKind::NumberList,
                           .default_value = "[0.08, 1.0]",
                           .summary = "minimum and maximum fraction of the area"},
                          {.name = "ratio",
                           .kind = ValueKind::NumberList,
                           .default_value = "[0.75, 1.3333333333333333]",
                           .summary = "minimum and maximum of width / height"},
                          interpolation_parameter()},
           .shorthand = "size"},
          make_random_resized_crop};
}

}  // namespace lpot
