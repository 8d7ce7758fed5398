// How an image lies in memory, and sizes as configs write them.
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

// The layout of a rank 3 tensor with 1 to 4 channels; which side they are on is told as transform.h says.
// Throws DataError in the name of `transform`.
ImageLayout image_layout(const Tensor&, std::string_view transform);

// The values as f32, to be changed in place: in the image's own memory where no other tensor sees it, else in a copy.
Tensor changeable_floats(Tensor image);

struct Area {
  std::size_t top = 0, left = 0, height = 0, width = 0;
};

// The part of an image that lies in the window. Throws DataError in the name of `transform` when it reaches beyond.
Tensor crop(const Tensor&, const ImageLayout&, const Area&, std::string_view transform);

// Bytes of one pixel where channels are last, of one element where they are first; and how many planes of them.
std::size_t pixel_bytes(const Tensor&, const ImageLayout&);
std::size_t plane_count(const ImageLayout&);

// One axis of a tensor: its elements are [outer, length, inner].
struct Axis {
  std::size_t outer = 1, length = 1, inner = 1;
};
Axis height_axis(const ImageLayout&);
Axis width_axis(const ImageLayout&);

// A side in pixels, 1 to 65536, from a parameter. Throws ConfigError.
std::size_t read_side(const Component&, const std::string& parameter);

// A place in pixels, 0 to 65536, from a parameter. Throws ConfigError.
std::size_t read_offset(const Component&, const std::string& parameter);

// The parameter `size`: one or two numbers from 1 to 65536. Throws ConfigError.
std::vector<std::size_t> read_size(const Component&);

}  // namespace lpot
