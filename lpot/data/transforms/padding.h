// Places an image on a larger canvas and moves the boxes of its label with it.
//
//   const Canvas canvas{.height = 640, .width = 640, .top = 80, .left = 0};
//   sample.label = move_boxes(sample.label, layout, canvas);
//   sample.inputs[0] = pad(sample.inputs[0], layout, canvas, 114);
//
#pragma once
#include "lpot/core/tensor.h"
#include "lpot/data/transforms/image.h"

namespace lpot {

struct Canvas {
  std::size_t height = 0, width = 0;
  std::size_t top = 0, left = 0;  // where the image begins
};

// The canvas with the image; the rest has the value `color`.
Tensor pad(const Tensor& image, const ImageLayout&, const Canvas&, double color);

// Boxes relative to the canvas, from boxes relative to the image of that layout. Other labels stay unchanged.
Tensor move_boxes(const Tensor& label, const ImageLayout&, const Canvas&);

}  // namespace lpot
