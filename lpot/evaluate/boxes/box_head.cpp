#include "lpot/evaluate/boxes/box_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace lpot {
namespace {

struct HeadText {
  BoxHead head;
  std::string_view name, layout;
};

constexpr std::array kHeads{
    HeadText{BoxHead::YoloV5, "yolov5", "[count,anchors,5+classes]: centers, sizes, objectness and scores"},
    HeadText{BoxHead::YoloV8, "yolov8", "[count,4+classes,anchors] or transposed: centers, sizes and scores"},
    HeadText{BoxHead::YoloX, "yolox", "[count,cells,5+classes]: centers, sizes, objectness and scores of each cell"},
    HeadText{BoxHead::Ssd, "ssd", "boxes [count,anchors,4] and scores [count,anchors,classes]"},
    HeadText{BoxHead::EndToEnd, "end_to_end", "[count,found,6]: corners, score and class, after NMS"},
    HeadText{BoxHead::DetectionOutput, "detection_output", "[1,1,found,7]: image, class, score and corners, after NMS"},
    HeadText{BoxHead::BatchedRows, "batched_rows", "[found,7]: image, corners, class and score, after NMS"},
    HeadText{BoxHead::Paddle, "paddle", "[found,6] and numbers [count]: class, score and corners, after NMS"},
    HeadText{BoxHead::Detections, "detections", "boxes [count,found,4], scores and classes [count,found], after NMS"}};

// The number of outputs of a shape; -1 as a dimension fits any size.
std::size_t count_shape(const std::vector<Tensor>& outputs, const std::vector<std::ptrdiff_t>& wanted) {
  return static_cast<std::size_t>(std::count_if(outputs.begin(), outputs.end(), [&](const Tensor& output) {
    return std::equal(
        output.shape().begin(), output.shape().end(), wanted.begin(), wanted.end(),
        [](std::size_t size, std::ptrdiff_t want) { return want < 0 || size == static_cast<std::size_t>(want); });
  }));
}

// Boxes [found,4] and at least two rows [found].
std::optional<std::vector<Tensor>> of_one_image(const std::vector<Tensor>& outputs) {
  for (const Tensor& output : outputs) {
    const Shape& shape = output.shape();
    if (shape.size() != 2 || shape[1] != 4 || count_shape(outputs, {static_cast<std::ptrdiff_t>(shape[0])}) < 2)
      continue;
    std::vector<Tensor> found{output.reshaped({1, shape[0], 4})};
    for (const Tensor& other : outputs)
      if (other.shape() == Shape{shape[0]}) found.push_back(other.reshaped({1, shape[0]}));
    return found;
  }
  return std::nullopt;
}

// Boxes with scores [count,found,5] and classes [count,found].
std::optional<std::vector<Tensor>> with_scores(const std::vector<Tensor>& outputs, std::size_t count) {
  for (const Tensor& output : outputs) {
    const Shape& shape = output.shape();
    if (shape.size() != 3 || shape[0] != count || shape[2] != 5) continue;
    const Shape rows{count, shape[1]};
    const auto classes =
        std::find_if(outputs.begin(), outputs.end(), [&](const Tensor& other) { return other.shape() == rows; });
    if (classes == outputs.end()) continue;
    const Tensor floats = output.converted(ElementType::F32);
    Tensor boxes(ElementType::F32, {count, shape[1], 4}), scores(ElementType::F32, rows);
    for (std::size_t row = 0; row < count * shape[1]; ++row) {
      std::copy_n(floats.data<float>() + row * 5, 4, boxes.data<float>() + row * 4);
      scores.data<float>()[row] = floats.data<float>()[row * 5 + 4];
    }
    return std::vector<Tensor>{boxes, scores, *classes};
  }
  return std::nullopt;
}

std::optional<BoxHead> find_among_several(const std::vector<Tensor>& outputs, std::size_t count) {
  const auto images = static_cast<std::ptrdiff_t>(count);
  for (const Tensor& output : outputs) {
    const Shape& shape = output.shape();
    if (shape.size() != 3 || shape[0] != count || shape[2] != 4) continue;
    const auto rows = static_cast<std::ptrdiff_t>(shape[1]);
    if (count_shape(outputs, {images, rows}) >= 2) return BoxHead::Detections;
    if (count_shape(outputs, {images, rows, -1}) >= 2) return BoxHead::Ssd;
  }
  if (as_detections(outputs, count)) return BoxHead::Detections;
  if (outputs.size() >= 2 && count_shape(outputs, {-1, 6}) == 1 && count_shape(outputs, {images}) == 1)
    return BoxHead::Paddle;
  return std::nullopt;
}

std::size_t count_cells(const FrameSize& image, const std::vector<double>& strides) {
  std::size_t cells = 0;
  for (const double stride : strides)
    cells += static_cast<std::size_t>(std::ceil(image.height / stride) * std::ceil(image.width / stride));
  return cells;
}

// Whether rows are the queries of a transformer (RT-DETR): few, and not the cells of the usual grids with one or three
// anchors.
constexpr std::size_t kMostQueries = 1000;
bool are_queries(std::size_t rows, const FrameSize& image) {
  if (rows > kMostQueries) return false;
  for (const std::vector<double>& strides :
       {std::vector<double>{8, 16, 32}, std::vector<double>{8, 16, 32, 64}, std::vector<double>{16, 32}}) {
    const std::size_t cells = count_cells(image, strides);
    if (rows == cells || rows == 3 * cells) return false;
  }
  return true;
}

}  // namespace

std::optional<FrameSize> image_size(const std::vector<Shape>& input_shapes) {
  for (const Shape& shape : input_shapes) {
    if (shape.size() != 4) continue;
    if (shape[1] <= 4) return FrameSize{static_cast<double>(shape[2]), static_cast<double>(shape[3])};
    if (shape[3] <= 4) return FrameSize{static_cast<double>(shape[1]), static_cast<double>(shape[2])};
  }
  return std::nullopt;
}

std::optional<std::vector<Tensor>> as_detections(const std::vector<Tensor>& outputs, std::size_t count) {
  if (count == 1)
    if (auto found = of_one_image(outputs)) return found;
  return with_scores(outputs, count);
}

std::size_t count_cells(const FrameSize& image) { return count_cells(image, {8, 16, 32}); }

std::optional<BoxHead> find_head(const std::vector<Tensor>& outputs, std::size_t count,
                                 const std::optional<FrameSize>& image) {
  if (const auto head = find_among_several(outputs, count)) return head;
  if (outputs.empty()) return std::nullopt;
  const Shape& shape = outputs[0].shape();
  if (shape.size() == 4 && shape[0] == 1 && shape[1] == 1 && shape[3] == 7) return BoxHead::DetectionOutput;
  if (shape.size() == 2 && shape[1] == 7) return BoxHead::BatchedRows;
  if (shape.size() != 3 || shape[0] != count) return std::nullopt;
  const std::size_t cells = image ? count_cells(*image) : 0;
  const bool is_grid = cells > 0 && shape[1] % cells == 0;
  if (shape[2] == 6 && !is_grid) return BoxHead::EndToEnd;
  if (shape[1] >= 5 && shape[1] < shape[2]) return BoxHead::YoloV8;
  if (shape[2] < 5) return std::nullopt;
  if (image && are_queries(shape[1], *image)) return BoxHead::YoloV8;
  return shape[1] == cells ? BoxHead::YoloX : BoxHead::YoloV5;
}

std::vector<std::string> head_names() {
  std::vector<std::string> names{"auto"};
  for (const HeadText& text : kHeads) names.emplace_back(text.name);
  return names;
}

BoxHead parse_head(std::string_view name) {
  return std::find_if(kHeads.begin(), kHeads.end(), [&](const HeadText& text) { return text.name == name; })->head;
}

std::string describe(BoxHead head) {
  const HeadText& text =
      *std::find_if(kHeads.begin(), kHeads.end(), [&](const HeadText& each) { return each.head == head; });
  return fmt::format("{}: {}", text.name, text.layout);
}

std::string describe(const std::vector<Tensor>& outputs) {
  std::string text;
  for (const Tensor& output : outputs) text += (text.empty() ? "" : ", ") + output.describe();
  return text.empty() ? "none" : text;
}

}  // namespace lpot
