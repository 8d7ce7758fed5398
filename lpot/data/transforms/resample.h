// Resampling an image to another size, pixel by pixel as Pillow's Image.resize does it.
#pragma once
#include <cstddef>
#include <string_view>

#include "lpot/core/tensor.h"
#include "lpot/data/transforms/image.h"

namespace lpot {

enum class Interpolation { Nearest, Bilinear, Bicubic };

// The image at another size. Nearest keeps the element type; the others keep u8 and give f32 for every other type.
Tensor resample(const Tensor& image, const ImageLayout&, std::size_t height, std::size_t width, Interpolation);

}  // namespace lpot
