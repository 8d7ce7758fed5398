// Builds the label tensor for the objects in an image (see dataset.h).
#pragma once
#include <string_view>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot {

struct LabelledBox {
  float y_min = 0, x_min = 0, y_max = 0, x_max = 0;  // relative to the image's height and width, 0..1
  float class_id = 0;
  bool crowd_or_difficult = false;
  float area = 0;  // in pixels
};

// f32 [boxes, 7].
Tensor label_of(const std::vector<LabelledBox>&);

// The id of a COCO category by its name; 0 for unknown names.
int coco_category(std::string_view name);

}  // namespace lpot
