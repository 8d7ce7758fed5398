// Objects in an image, and the label tensor that dataset.h describes.
#pragma once
#include <string_view>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot {

struct LabelledBox {
  float y_min = 0, x_min = 0, y_max = 0, x_max = 0;  // 0..1 of the image's height and width
  float class_id = 0;
  bool crowd_or_difficult = false;
  float area = 0;  // in pixels
};

// f32 [boxes, 7].
Tensor label_of(const std::vector<LabelledBox>&);

// COCO's number for the name of one of its 80 categories, 0 for any other name.
int coco_category(std::string_view name);

}  // namespace lpot
