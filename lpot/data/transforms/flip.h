// Mirror images.
#pragma once
#include "lpot/core/tensor.h"

namespace lpot {

Tensor flip_left_right(const Tensor& image, std::string_view transform);
Tensor flip_upside_down(const Tensor& image, std::string_view transform);

}  // namespace lpot
