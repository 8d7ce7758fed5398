// Heads with a row of scores for every anchor: thresholding and conversion to boxes.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lpot/core/error.h"
#include "lpot/evaluate/boxes/decode.h"

namespace lpot {

// The values of one image: value(row, column) is at [row * row_step + column * column_step].
struct DenseValues {
  const float* values = nullptr;
  std::size_t rows = 0, columns = 0;
  std::size_t row_step = 0, column_step = 1;

  float at(std::size_t row, std::size_t column) const { return values[row * row_step + column * column_step]; }
};

// Box and scores of an anchor within DenseValues.
struct DenseColumns {
  bool has_objectness = false;
  std::size_t first_score = 4;
  std::size_t classes = 0;
};

DataError unfit(const std::vector<Tensor>& outputs, BoxHead);  // the outputs do not fit the head
BoxFormat format_or(BoxFormat, BoxFormat of_head);             // Default: that of the head

double apply(Activation, double value);  // None or Sigmoid

Box to_box(const std::array<double, 4>& values, BoxFormat);

// The boxes of one image whose score reaches the threshold, one for each such class. `box_of` returns the box of a row.
std::vector<Found> select_boxes(const DenseValues&, const DenseColumns&, const DecodeOptions&,
                                const std::function<Box(std::size_t row)>& box_of);

// Throws DataError unless all scores are in 0..1, and if the number of classes is not the expected one.
void check_score(double score);
void check_classes(std::size_t found, const DecodeOptions&, const std::string& output);

}  // namespace lpot
