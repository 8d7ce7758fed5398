// Mirrors images.
#pragma once
#include "lpot/core/tensor.h"
#include "lpot/data/transforms/image.h"

namespace lpot {

Tensor flip_left_right(const Tensor& image, const ImageLayout&);
Tensor flip_upside_down(const Tensor& image, const ImageLayout&);

}  // namespace lpot
