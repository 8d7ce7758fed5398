// Resampling an image to another size. Nearest, Bilinear and Bicubic are Pillow's Image.resize, pixel by pixel.
// PlainBilinear is TensorFlow's and OpenCV's: between the four nearest pixels, without anti-aliasing, pixel centres at
// one half. Area is OpenCV's INTER_AREA where an axis shrinks: the mean of what a new pixel covers, parts of pixels
// counted as such; where it grows, it is PlainBilinear.
#pragma once
#include <cstddef>
#include <string_view>

#include "lpot/core/component.h"
#include "lpot/core/tensor.h"
#include "lpot/data/transforms/image.h"

namespace lpot {

enum class Interpolation { Nearest, Bilinear, Bicubic, PlainBilinear, Area };

// The parameter `interpolation` as LPOT has it: bilinear, nearest or bicubic, all as Pillow. Throws ConfigError.
Interpolation read_interpolation(const Component&);
Parameter interpolation_parameter();

// The image at another size. Nearest keeps the element type; the others keep u8 and give f32 for every other type.
Tensor resample(const Tensor& image, const ImageLayout&, std::size_t height, std::size_t width, Interpolation);

}  // namespace lpot
