#include "lpot/evaluate/boxes/suppressed.h"

#include <algorithm>
#include <cmath>

#include "lpot/core/error.h"
#include "lpot/evaluate/boxes/dense.h"

namespace lpot {
namespace {

// Where the parts of a row are in a list of boxes after NMS. -1: none.
struct RowLayout {
  int image, object_class, score, corners;
};

void add_row(DecodedBoxes& decoded, std::size_t image, const float* row, const RowLayout& layout,
             const DecodeOptions& options) {
  const double score = row[layout.score];
  if (image >= decoded.images.size() || !(score >= options.score_threshold)) return;
  check_score(score);
  const float* box = row + layout.corners;
  decoded.images[image].push_back(
      {to_box({box[0], box[1], box[2], box[3]}, format_or(options.format, BoxFormat::Corners)),
       std::llround(row[layout.object_class]), score});
}

// Rows that name their image; a negative number ends the list.
DecodedBoxes decode_rows(const std::vector<Tensor>& outputs, std::size_t count, const DecodeOptions& options,
                         const RowLayout& layout) {
  const Shape& shape = outputs.at(0).shape();
  if (shape.empty() || shape.back() != 7) throw unfit(outputs, options.head);
  const Tensor floats = outputs[0].converted(ElementType::F32);
  DecodedBoxes decoded{std::vector<std::vector<Found>>(count), false};
  for (std::size_t i = 0; i < floats.size(); i += 7) {
    const float* row = floats.data<float>() + i;
    if (row[layout.image] < 0) break;
    add_row(decoded, static_cast<std::size_t>(row[layout.image]), row, layout, options);
  }
  return decoded;
}

DecodedBoxes decode_end_to_end(const std::vector<Tensor>& outputs, std::size_t count, const DecodeOptions& options) {
  const Shape& shape = outputs.at(0).shape();
  if (shape.size() != 3 || shape[0] != count || shape[2] != 6) throw unfit(outputs, options.head);
  const Tensor floats = outputs[0].converted(ElementType::F32);
  DecodedBoxes decoded{std::vector<std::vector<Found>>(count), false};
  for (std::size_t i = 0; i < count * shape[1]; ++i)
    add_row(decoded, i / shape[1], floats.data<float>() + i * 6, {-1, 5, 4, 0}, options);
  return decoded;
}

DecodedBoxes decode_paddle(const std::vector<Tensor>& outputs, std::size_t count, const DecodeOptions& options) {
  const auto is_rows = [](const Tensor& tensor) { return tensor.shape().size() == 2 && tensor.shape()[1] == 6; };
  const auto rows = std::find_if(outputs.begin(), outputs.end(), is_rows);
  const auto numbers = std::find_if(outputs.begin(), outputs.end(),
                                    [&](const Tensor& tensor) { return tensor.shape() == Shape{count}; });
  if (rows == outputs.end() || numbers == outputs.end()) throw unfit(outputs, options.head);
  const Tensor floats = rows->converted(ElementType::F32);
  DecodedBoxes decoded{std::vector<std::vector<Found>>(count), false};
  std::size_t row = 0;
  for (std::size_t image = 0; image < count; ++image)
    for (double remaining = numbers->value_at(image); remaining >= 1 && row < rows->shape()[0]; --remaining, ++row)
      add_row(decoded, image, floats.data<float>() + row * 6, {-1, 0, 1, 2}, options);
  return decoded;
}

// Classes are integers or, as in TensorFlow's frozen graphs, whole floats beside scores that are not all whole.
bool holds_classes(const Tensor& tensor, const Tensor& other) {
  if (is_integer_type(tensor.element_type()) != is_integer_type(other.element_type()))
    return is_integer_type(tensor.element_type());
  const auto is_whole = [](const Tensor& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values.value_at(i) != std::floor(values.value_at(i))) return false;
    return true;
  };
  return is_whole(tensor) && !is_whole(other);
}

DecodedBoxes decode_detections(const std::vector<Tensor>& given, std::size_t count, const DecodeOptions& options) {
  const auto other = as_detections(given, count);
  const std::vector<Tensor>& outputs = other ? *other : given;
  const auto boxes = std::find_if(outputs.begin(), outputs.end(), [&](const Tensor& tensor) {
    return tensor.shape().size() == 3 && tensor.shape()[0] == count && tensor.shape()[2] == 4;
  });
  if (boxes == outputs.end()) throw unfit(outputs, options.head);
  const std::size_t most = boxes->shape()[1];
  std::vector<const Tensor*> columns;
  const Tensor* number = nullptr;
  for (const Tensor& output : outputs) {
    if (output.shape() == Shape{count, most} && columns.size() < 2)
      columns.push_back(&output);
    else if (output.shape() == Shape{count} || output.shape() == Shape{count, 1})
      number = &output;
  }
  if (columns.size() != 2) throw unfit(outputs, options.head);
  if (holds_classes(*columns[0], *columns[1])) std::swap(columns[0], columns[1]);
  const Tensor corners = boxes->converted(ElementType::F32);
  DecodeOptions with_format = options;
  with_format.format = format_or(options.format, other ? BoxFormat::Corners : BoxFormat::CornersFromTop);
  DecodedBoxes decoded{std::vector<std::vector<Found>>(count), false};
  for (std::size_t i = 0; i < count * most; ++i) {
    if (number && static_cast<double>(i % most) >= number->value_at(i / most)) continue;
    const float* box = corners.data<float>() + i * 4;
    const std::array<float, 6> row{box[0],
                                   box[1],
                                   box[2],
                                   box[3],
                                   static_cast<float>(columns[0]->value_at(i)),
                                   static_cast<float>(columns[1]->value_at(i))};
    add_row(decoded, i / most, row.data(), {-1, 5, 4, 0}, with_format);
  }
  return decoded;
}

}  // namespace

DecodedBoxes decode_suppressed(const std::vector<Tensor>& outputs, std::size_t count, const DecodeOptions& options) {
  switch (options.head) {
    case BoxHead::EndToEnd:
      return decode_end_to_end(outputs, count, options);
    case BoxHead::DetectionOutput:
      return decode_rows(outputs, count, options, {0, 1, 2, 3});
    case BoxHead::BatchedRows:
      return decode_rows(outputs, count, options, {0, 5, 6, 1});
    case BoxHead::Paddle:
      return decode_paddle(outputs, count, options);
    default:
      return decode_detections(outputs, count, options);
  }
}

}  // namespace lpot
