// What the two combined transforms for ImageNet share.
#pragma once
#include <vector>

#include "lpot/core/component.h"
#include "lpot/core/tensor.h"
#include "lpot/data/transforms/image.h"

namespace lpot {

// (x - mean) * scale or, where there are deviations, (x - mean) / deviation per channel.
struct Shift {
  std::vector<float> mean;
  float scale = 1;
  std::vector<float> deviation = {};
};

// The parameters mean_value and scale. Throws ConfigError.
Shift read_shift(const Component&);

// The image as f32; throws DataError unless its channels are last.
Tensor float_image(const Tensor& image, const ImageLayout&, std::string_view transform);

// Applies it to f32 [height,width,channels].
void apply(const Shift&, Tensor& image, std::string_view transform);

}  // namespace lpot
