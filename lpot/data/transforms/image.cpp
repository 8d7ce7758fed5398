#include "lpot/data/transforms/image.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lpot/core/registry.h"

namespace lpot {
namespace {

constexpr std::int64_t kMaxSide = 65536;

bool counts_channels(std::size_t dimension) { return dimension >= 1 && dimension <= 4; }

}  // namespace

bool is_float(ElementType type) { return type >= ElementType::F16; }

ImageLayout image_layout(const Tensor& image, std::string_view transform) {
  const Shape& shape = image.shape();
  if (shape.size() == 3 && image.size() > 0) {
    const bool first = counts_channels(shape[0]), last = counts_channels(shape[2]);
    if (first && (!last || is_float(image.element_type()))) return {shape[1], shape[2], shape[0], true};
    if (last) return {shape[0], shape[1], shape[2], false};
  }
  throw DataError(transform,
                  fmt::format("got {}, expected an image: [height,width,channels] or [channels,height,width] "
                              "with 1 to 4 channels",
                              image.describe()));
}

Axis height_axis(const ImageLayout& layout) {
  if (layout.channels_first) return {layout.channels, layout.height, layout.width};
  return {1, layout.height, layout.width * layout.channels};
}

Axis width_axis(const ImageLayout& layout) {
  if (layout.channels_first) return {layout.channels * layout.height, layout.width, 1};
  return {layout.height, layout.width, layout.channels};
}

std::vector<std::size_t> read_size(const Component& component) {
  const std::vector<std::int64_t>& given = component.parameters.integers("size");
  std::vector<std::size_t> size;
  for (const std::int64_t side : given) {
    if (side < 1 || side > kMaxSide)
      throw config_error(component, fmt::format("size: expected 1 to {}, got {}", kMaxSide, side));
    size.push_back(static_cast<std::size_t>(side));
  }
  if (size.empty() || size.size() > 2)
    throw config_error(component,
                       fmt::format("size: expected one number or [height, width], got [{}]", fmt::join(given, ", ")));
  return size;
}

}  // namespace lpot
