// Resamples an image to another size.
// - Nearest, Bilinear, Bicubic: exactly as Pillow's Image.resize.
// - PlainBilinear: as TensorFlow and OpenCV. Interpolates the four nearest pixels without anti-aliasing; pixel centers
//   are at one half.
// - Area: as OpenCV's INTER_AREA if an axis shrinks: the mean of the area that a new pixel covers. If an axis grows, it
//   is PlainBilinear.
#pragma once
#include <cstddef>
#include <string_view>

#include "lpot/core/component.h"
#include "lpot/core/tensor.h"
#include "lpot/data/transforms/image.h"

namespace lpot {

enum class Interpolation { Nearest, Bilinear, Bicubic, PlainBilinear, Area };

// The parameter `interpolation` of LPOT: bilinear, nearest or bicubic, all as in Pillow. Throws ConfigError.
Interpolation read_interpolation(const Component&);
Parameter interpolation_parameter();

// Resamples the image. Nearest keeps the element type. The other methods keep u8 and return f32 for all other types.
Tensor resample(const Tensor& image, const ImageLayout&, std::size_t height, std::size_t width, Interpolation);

}  // namespace lpot
