// The classes of the points of a map: of the pixels of a segmentation, or of the steps of a sequence.
//
//   Tensor scores(ElementType::F32, {21, 480, 640});  // of one sample
//   const Tensor classes = point_classes(scores, {}, "PixelAgreement");  // i16 [480,640]
//
// A sample contains
// - classes: integers, or floats that are all whole numbers, some of them 2 or more
// - scores with a class axis, which is the first or the last: the class is that of the highest score, the first of
//   equals
// - one score per point (an axis of size 1, or no class axis): class 1 above the threshold, else class 0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/component.h"
#include "lpot/core/tensor.h"

namespace lpot {

enum class ClassAxis { Auto, First, Last, None };

struct MapOptions {
  ClassAxis axis = ClassAxis::Auto;
  double threshold = 0.5;

  bool operator==(const MapOptions&) const = default;
};

// The parameters `class_axis` and `threshold` of a metric, and their values in a component.
std::vector<Parameter> map_parameters();
MapOptions map_options(const Component&);

// The score of class c at point p is at [p / inner * classes * inner + c * inner + p % inner].
struct MapLayout {
  Shape points = {};        // the shape without the class axis
  std::size_t classes = 1;  // 1: one value per point
  std::size_t inner = 1;    // distance between two classes of a point

  std::size_t count() const { return element_count(points); }
};

// The layout of scores with this shape of one sample. ClassAxis::Auto: an axis of size 1 is the class axis. So is the
// first or the last axis, if the remaining axes have one size, or if it has at most half the size of the other one.
// Throws DataError if this does not decide.
MapLayout map_layout(const Shape&, ClassAxis, std::string_view metric);

// The class with the highest score at each point; -1 if a score is NaN.
Tensor highest_classes(const Tensor& scores, const MapLayout&);

// The class of each point of a sample: i16, or i32 if there are more than 32,767 classes. -1 where a score is NaN.
// Throws DataError if the shape is not that of a map.
Tensor point_classes(const Tensor& sample, const MapOptions&, std::string_view metric);

}  // namespace lpot
