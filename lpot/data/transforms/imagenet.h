// Functions that ResizeCropImagenet and BilinearImagenet share.
#pragma once
#include <vector>

#include "lpot/core/component.h"
#include "lpot/core/tensor.h"
#include "lpot/data/transforms/image.h"

namespace lpot {

// (x - mean) * scale or, if deviations are given, (x - mean) / deviation per channel.
struct Shift {
  std::vector<float> mean;
  float scale = 1;
  std::vector<float> deviation = {};
};

// Reads the parameters mean_value and scale. Throws ConfigError.
Shift read_shift(const Component&);

// The image as f32. Throws DataError unless channels are last.
Tensor float_image(const Tensor& image, const ImageLayout&, std::string_view transform);

// Applies the shift to f32 [height,width,channels].
void apply(const Shift&, Tensor& image, std::string_view transform);

}  // namespace lpot
