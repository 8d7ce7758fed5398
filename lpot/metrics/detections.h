// Reads detections and ground truth from a batch.
//
// Label of a sample: [objects,7] of y_min, x_min, y_max, x_max (relative, 0..1), class, flag (a crowd in COCO, a
// difficult object in VOC), area in pixels. An image without objects has [0,7].
//
// Outputs of the model, as in LPOT: (boxes, scores, classes) or (number, boxes, scores, classes). They are identified
// by their shapes: boxes is the only [count,found,4]; number is [count] or [count,1]. The other two are [count,found];
// classes is the one with an integer type, or else the second one.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot {

struct Box {
  double y_min = 0, x_min = 0, y_max = 0, x_max = 0;

  double area() const { return (y_max - y_min) * (x_max - x_min); }
};

struct Truth {
  Box box;
  std::int64_t object_class = 0;
  bool flag = false;
};

struct Found {
  Box box;
  std::int64_t object_class = 0;
  double score = 0;
};

struct Image {
  std::vector<Truth> truths;
  std::vector<Found> found;  // in the order of the model
};

// The detections of `count` images. Throws DataError with the operation `metric` and the output or the sample within
// the batch.
std::vector<std::vector<Found>> read_detections(const std::vector<Tensor>& outputs, std::size_t count,
                                                std::string_view metric);

// The same with the ground truth.
std::vector<Image> read_images(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels,
                               std::string_view metric);

}  // namespace lpot
