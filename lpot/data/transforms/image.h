// The memory layout of images, and size parameters of transforms.
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/component.h"
#include "lpot/core/tensor.h"

namespace lpot {

struct ImageLayout {
  std::size_t height = 0, width = 0, channels = 0;
  bool channels_first = false;

  Shape shape(std::size_t new_height, std::size_t new_width) const {
    return channels_first ? Shape{channels, new_height, new_width} : Shape{new_height, new_width, channels};
  }
};

// The layout of a rank 3 tensor with 1 to 4 channels. transform.h has the rule for channels first or last. Throws
// DataError with the operation `transform`.
ImageLayout image_layout(const Tensor&, std::string_view transform);

// The values as f32, for changes in place. Copies the image unless it is f32 and no other tensor shares its memory.
Tensor changeable_floats(Tensor image);

struct Area {
  std::size_t top = 0, left = 0, height = 0, width = 0;
};

// Crops an image to the window. Throws DataError with the operation `transform` if the window exceeds the image.
Tensor crop(const Tensor&, const ImageLayout&, const Area&, std::string_view transform);

// Channels last: the bytes of one pixel and one plane. Channels first: the bytes of one element and one plane per
// channel.
std::size_t pixel_bytes(const Tensor&, const ImageLayout&);
std::size_t plane_count(const ImageLayout&);

// One axis of a tensor, which is viewed as [outer, length, inner].
struct Axis {
  std::size_t outer = 1, length = 1, inner = 1;
};
Axis height_axis(const ImageLayout&);
Axis width_axis(const ImageLayout&);

// Reads a length in pixels, 1 to 65536, from a parameter. Throws ConfigError.
std::size_t read_side(const Component&, const std::string& parameter);

// Reads a position in pixels, 0 to 65536, from a parameter. Throws ConfigError.
std::size_t read_offset(const Component&, const std::string& parameter);

// Reads the parameter `size`: one or two numbers from 1 to 65536. Throws ConfigError.
std::vector<std::size_t> read_size(const Component&);

}  // namespace lpot
