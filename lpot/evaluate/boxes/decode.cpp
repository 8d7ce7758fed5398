#include "lpot/evaluate/boxes/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lpot/core/error.h"
#include "lpot/evaluate/boxes/dense.h"
#include "lpot/evaluate/boxes/suppressed.h"

namespace lpot {
namespace {

// A cell of the grids of YOLOX.
struct Cell {
  double x = 0, y = 0, stride = 0;
};

std::vector<Cell> cells_of(const FrameSize& image) {
  std::vector<Cell> cells;
  for (const double stride : {8.0, 16.0, 32.0})
    for (double y = 0; y < std::ceil(image.height / stride); ++y)
      for (double x = 0; x < std::ceil(image.width / stride); ++x) cells.push_back({x, y, stride});
  return cells;
}

// Decoded centers are spread over the image. Offsets within a cell are near 0..1.
bool is_relative_to_cells(const DenseValues& values, const DecodeOptions& options) {
  if (options.head != BoxHead::YoloX || !options.image || values.rows != count_cells(*options.image)) return false;
  double sum = 0;
  for (std::size_t row = 0; row < values.rows; ++row) sum += std::fabs(values.at(row, 0));
  return sum / static_cast<double>(values.rows) < options.image->width / 16;
}

std::array<double, 4> four(const DenseValues& values, std::size_t row) {
  return {values.at(row, 0), values.at(row, 1), values.at(row, 2), values.at(row, 3)};
}

// YOLOv5, v8 and X. Their values are [rows,columns], for YOLOv8 usually [columns,rows].
DecodedBoxes decode_grid(const std::vector<Tensor>& outputs, std::size_t count, const DecodeOptions& options) {
  const Shape& shape = outputs.at(0).shape();
  if (shape.size() != 3 || shape[0] != count) throw unfit(outputs, options.head);
  const bool is_transposed = options.head == BoxHead::YoloV8 && shape[1] < shape[2];
  const std::size_t rows = shape[is_transposed ? 2 : 1], columns = shape[is_transposed ? 1 : 2];
  DenseColumns layout{.has_objectness = options.head != BoxHead::YoloV8};
  layout.first_score = layout.has_objectness ? 5 : 4;
  if (columns > layout.first_score + options.ignored_columns)
    layout.classes = columns - layout.first_score - options.ignored_columns;
  check_classes(layout.classes, options, outputs[0].describe());
  const Tensor floats = outputs[0].converted(ElementType::F32);
  const BoxFormat format = format_or(options.format, BoxFormat::CenterSize);
  DecodedBoxes decoded;
  for (std::size_t i = 0; i < count; ++i) {
    const DenseValues values{floats.data<float>() + i * rows * columns, rows, columns, is_transposed ? 1 : columns,
                             is_transposed ? rows : 1};
    const std::vector<Cell> cells =
        is_relative_to_cells(values, options) ? cells_of(*options.image) : std::vector<Cell>{};
    decoded.images.push_back(select_boxes(values, layout, options, [&](std::size_t row) {
      std::array<double, 4> box = four(values, row);
      if (cells.empty()) return to_box(box, format);
      const Cell& cell = cells[row];
      box = {(box[0] + cell.x) * cell.stride, (box[1] + cell.y) * cell.stride, std::exp(box[2]) * cell.stride,
             std::exp(box[3]) * cell.stride};
      return to_box(box, BoxFormat::CenterSize);
    }));
  }
  return decoded;
}

Tensor softmax(const Tensor& scores) {
  const std::size_t classes = scores.shape().back();
  Tensor result(ElementType::F32, scores.shape());
  for (std::size_t start = 0; start < scores.size(); start += classes) {
    const float* from = scores.data<float>() + start;
    float* to = result.data<float>() + start;
    const float largest = *std::max_element(from, from + classes);
    float sum = 0;
    for (std::size_t i = 0; i < classes; ++i) sum += to[i] = std::exp(from[i] - largest);
    for (std::size_t i = 0; i < classes; ++i) to[i] /= sum;
  }
  return result;
}

// Scores of a softmax include a background class: those of an anchor sum to 1.
bool rows_sum_to_one(const Tensor& scores) {
  const std::size_t classes = scores.shape().back();
  double sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) sum += scores.data<float>()[i];
  return classes > 1 && std::fabs(sum * static_cast<double>(classes) / static_cast<double>(scores.size()) - 1) < 0.05;
}

// The class that is no object has the highest scores: the first one in most heads, the last one in DETR.
Background likelier_background(const Tensor& scores) {
  const std::size_t classes = scores.shape().back();
  double first = 0, last = 0;
  for (std::size_t start = 0; start < scores.size(); start += classes) {
    first += scores.data<float>()[start];
    last += scores.data<float>()[start + classes - 1];
  }
  return last > first ? Background::Last : Background::First;
}

Box decode_prior(const std::array<double, 4>& offsets, const double* prior, const std::array<double, 4>& variances) {
  return to_box({prior[0] + offsets[0] * variances[0] * prior[2], prior[1] + offsets[1] * variances[1] * prior[3],
                 prior[2] * std::exp(offsets[2] * variances[2]), prior[3] * std::exp(offsets[3] * variances[3])},
                BoxFormat::CenterSize);
}

void check_priors(const Priors& priors, std::size_t anchors) {
  if (!priors.boxes.empty() && priors.boxes.size() != anchors * 4)
    throw DataError("Boxes", fmt::format("priors has {} boxes; expected {}, one for each anchor of the model",
                                         priors.boxes.size() / 4, anchors));
}

DecodedBoxes decode_ssd(const std::vector<Tensor>& outputs, std::size_t count, const DecodeOptions& options) {
  const auto is_boxes = [&](const Tensor& tensor) {
    return tensor.shape().size() == 3 && tensor.shape()[0] == count && tensor.shape()[2] == 4;
  };
  const auto boxes = std::find_if(outputs.begin(), outputs.end(), is_boxes);
  if (boxes == outputs.end()) throw unfit(outputs, options.head);
  const std::size_t anchors = boxes->shape()[1];
  const auto scores = std::find_if(outputs.begin(), outputs.end(), [&](const Tensor& tensor) {
    return &tensor != &*boxes && tensor.shape().size() == 3 && tensor.shape()[0] == count &&
           tensor.shape()[1] == anchors;
  });
  if (scores == outputs.end()) throw unfit(outputs, options.head);
  check_priors(options.priors, anchors);
  const Tensor corners = boxes->converted(ElementType::F32);
  Tensor values = scores->converted(ElementType::F32);
  if (options.activation == Activation::Softmax) values = softmax(values);
  const std::size_t columns = values.shape()[2];
  Background background = options.background;
  if (background == Background::Auto)
    background = rows_sum_to_one(values) ? likelier_background(values) : Background::None;
  const std::size_t skipped = background == Background::First ? 1 : 0;
  const DenseColumns layout{.first_score = skipped, .classes = columns - (background == Background::None ? 0 : 1)};
  check_classes(layout.classes, options, scores->describe());
  const BoxFormat format = format_or(options.format, BoxFormat::Corners);
  DecodedBoxes decoded;
  for (std::size_t i = 0; i < count; ++i) {
    const DenseValues places{corners.data<float>() + i * anchors * 4, anchors, 4, 4};
    const DenseValues rows{values.data<float>() + i * anchors * columns, anchors, columns, columns};
    decoded.images.push_back(select_boxes(rows, layout, options, [&](std::size_t row) {
      return options.priors.boxes.empty()
                 ? to_box(four(places, row), format)
                 : decode_prior(four(places, row), options.priors.boxes.data() + row * 4, options.priors.variances);
    }));
  }
  return decoded;
}

void check_finite(const DecodedBoxes& decoded) {
  for (std::size_t i = 0; i < decoded.images.size(); ++i)
    for (const Found& found : decoded.images[i])
      if (!std::isfinite(found.box.y_min + found.box.x_min + found.box.y_max + found.box.x_max))
        throw DataError("Boxes", fmt::format("sample {} of the batch has a box with NaN or infinity; expected numbers. "
                                             "Check the preprocessing",
                                             i));
}

DecodedBoxes decode_head(const std::vector<Tensor>& outputs, std::size_t count, const DecodeOptions& options) {
  switch (options.head) {
    case BoxHead::YoloV5:
    case BoxHead::YoloV8:
    case BoxHead::YoloX:
      return decode_grid(outputs, count, options);
    case BoxHead::Ssd:
      return decode_ssd(outputs, count, options);
    default:
      return decode_suppressed(outputs, count, options);
  }
}

}  // namespace

DecodedBoxes decode(const std::vector<Tensor>& outputs, std::size_t count, const DecodeOptions& options) {
  if (outputs.empty()) throw unfit(outputs, options.head);
  DecodedBoxes decoded = decode_head(outputs, count, options);
  check_finite(decoded);
  return decoded;
}

}  // namespace lpot
