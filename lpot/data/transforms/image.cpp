#include "lpot/data/transforms/image.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lpot/core/registry.h"

namespace lpot {
namespace {

constexpr std::int64_t kMaxSide = 65536;

std::size_t read_pixels(const Component& component, const std::string& parameter, std::int64_t least) {
  const std::int64_t given = component.parameters.integer(parameter);
  if (given < least || given > kMaxSide)
    throw config_error(component, fmt::format("{}: expected {} to {}, got {}", parameter, least, kMaxSide, given));
  return static_cast<std::size_t>(given);
}

bool counts_channels(std::size_t dimension) { return dimension >= 1 && dimension <= 4; }

}  // namespace

ImageLayout image_layout(const Tensor& image, std::string_view transform) {
  const Shape& shape = image.shape();
  if (shape.size() == 3 && image.size() > 0) {
    const bool first = counts_channels(shape[0]), last = counts_channels(shape[2]);
    if (first && (!last || !is_integer_type(image.element_type()))) return {shape[1], shape[2], shape[0], true};
    if (last) return {shape[0], shape[1], shape[2], false};
  }
  throw DataError(transform,
                  fmt::format("got {}, expected an image: [height,width,channels] or [channels,height,width] "
                              "with 1 to 4 channels",
                              image.describe()));
}

Tensor changeable_floats(Tensor image) {
  if (image.element_type() != ElementType::F32) return image.converted(ElementType::F32);
  if (image.is_sole_owner()) return image;
  Tensor copy = Tensor::uninitialized(ElementType::F32, image.shape());
  std::copy_n(image.data<float>(), image.size(), copy.data<float>());
  return copy;
}

std::size_t pixel_bytes(const Tensor& image, const ImageLayout& layout) {
  return element_size(image.element_type()) * (layout.channels_first ? 1 : layout.channels);
}

std::size_t plane_count(const ImageLayout& layout) { return layout.channels_first ? layout.channels : 1; }

Tensor crop(const Tensor& image, const ImageLayout& layout, const Area& window, std::string_view transform) {
  if (window.top + window.height > layout.height || window.left + window.width > layout.width)
    throw DataError(transform, fmt::format("got {}, expected at least {} x {}; add the transform Resize in front",
                                           image.describe(), window.top + window.height, window.left + window.width));
  Tensor result = Tensor::uninitialized(image.element_type(), layout.shape(window.height, window.width));
  const std::size_t pixel = pixel_bytes(image, layout);
  std::byte* to = result.bytes();
  for (std::size_t plane = 0; plane < plane_count(layout); ++plane)
    for (std::size_t row = 0; row < window.height; ++row) {
      const std::size_t start = (plane * layout.height + window.top + row) * layout.width + window.left;
      to = std::copy_n(image.bytes() + start * pixel, window.width * pixel, to);
    }
  return result;
}

Axis height_axis(const ImageLayout& layout) {
  if (layout.channels_first) return {layout.channels, layout.height, layout.width};
  return {1, layout.height, layout.width * layout.channels};
}

Axis width_axis(const ImageLayout& layout) {
  if (layout.channels_first) return {layout.channels * layout.height, layout.width, 1};
  return {layout.height, layout.width, layout.channels};
}

std::size_t read_side(const Component& component, const std::string& parameter) {
  return read_pixels(component, parameter, 1);
}

std::size_t read_offset(const Component& component, const std::string& parameter) {
  return read_pixels(component, parameter, 0);
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
