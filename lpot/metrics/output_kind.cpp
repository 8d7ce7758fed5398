#include "lpot/metrics/output_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "lpot/core/error.h"

namespace lpot {
namespace {

struct KindText {
  OutputKind kind;
  std::string_view description;
  std::string_view metrics;
};

constexpr std::array kTexts{
    KindText{
        OutputKind::Classes, "scores of classes or an embedding",
        "for classes topk or Accuracy with labels, Agreement without; for embeddings STS or RecallAtK with labels, "
        "Cosine without"},
    KindText{OutputKind::Number, "one value per sample",
             "Accuracy or MSE with labels, MSE with compare_label false without"},
    KindText{OutputKind::Detections, "boxes, scores and classes of a detector",
             "COCOmAP, VOCmAP or mAP with labels, BoxAgreement without"},
    KindText{OutputKind::BoxHead, "boxes and scores of a detector before NMS",
             "COCOmAP, VOCmAP or mAP with labels, BoxAgreement without, each after the postprocess Boxes"},
    KindText{
        OutputKind::Map, "values for every pixel",
        "for a segmentation mIOU with labels, PixelAgreement without; for other values MSE with compare_label false"},
    KindText{OutputKind::Rows, "rows of values for every token, character or time step",
             "PixelAgreement with class_axis for scores of classes, Cosine for embeddings of tokens, MSE with "
             "compare_label false for other values; for question answering SquadF1 after the postprocess SquadV1"},
    KindText{OutputKind::Other, "no kind that lpot knows", "MSE with compare_label false"},
};

const KindText& text_of(OutputKind kind) {
  return *std::find_if(kTexts.begin(), kTexts.end(), [&](const KindText& text) { return text.kind == kind; });
}

using Dimensions = std::vector<std::int64_t>;

bool matches(std::int64_t dimension, std::int64_t other) { return dimension == other || dimension < 0 || other < 0; }

bool is_boxes(const Dimensions& shape) { return shape.size() == 3 && shape[2] == 4; }

// [count,found] beside boxes [count,found,4].
bool is_column_of(const Dimensions& shape, const Dimensions& boxes) {
  return shape.size() == 2 && matches(shape[1], boxes[1]) && shape[1] != 1;
}

// [count,anchors,classes] beside boxes [count,anchors,4].
bool is_scores_of(const Dimensions& shape, const Dimensions& boxes) {
  return shape.size() == 3 && matches(shape[1], boxes[1]) && shape[2] != 4;
}

// Boxes with scores [count,found,5] and classes [count,found].
bool are_scored_boxes(const std::vector<OutputShape>& outputs) {
  return std::any_of(outputs.begin(), outputs.end(), [&](const OutputShape& boxes) {
    return boxes.dimensions.size() == 3 && boxes.dimensions[2] == 5 &&
           std::any_of(outputs.begin(), outputs.end(),
                       [&](const OutputShape& other) { return is_column_of(other.dimensions, boxes.dimensions); });
  });
}

bool is_detections(const std::vector<OutputShape>& outputs) {
  if (are_scored_boxes(outputs)) return true;
  if (outputs.size() != 3 && outputs.size() != 4) return false;
  for (const OutputShape& output : outputs) {
    if (!is_boxes(output.dimensions)) continue;
    return std::count_if(outputs.begin(), outputs.end(), [&](const OutputShape& other) {
             return is_column_of(other.dimensions, output.dimensions);
           }) >= 2;
  }
  return false;
}

// Detectors have a row for every cell of grids with strides of 8, 16 and 32 pixels. For 64 x 64 pixels, these are 84
// cells, and 85 with an additional stride of 64. With strides of 16 and 32 and three anchors in each cell, the number
// of rows is a multiple of 15. Outputs with a row for each token have fewer rows than 128 x 128 pixels have cells
// (336), or more columns relative to the number of rows.
constexpr std::int64_t kManyAnchors = 300, kManyColumns = 20;
bool is_cell_count(std::int64_t count) { return count % 21 == 0 || count % 85 == 0 || count % 15 == 0; }

// One output with a column for each coordinate and class and a row for each anchor, or transposed.
bool is_grid_of_boxes(const Dimensions& shape) {
  if (shape.size() != 3 || shape[1] == 0 || shape[2] == 0) return false;
  const std::int64_t a = shape[1], b = shape[2];
  if (a >= 5 && b < 0) return true;  // [count,4+classes,?]: rows of tokens have the unknown length in front
  if (a < 0 || b < 0) return false;
  const std::int64_t columns = std::min(a, b), anchors = std::max(a, b);
  return columns >= 5 && is_cell_count(anchors) &&
         (anchors >= kManyColumns * columns || (anchors >= kManyAnchors && anchors >= 2 * columns));
}

// [count,found,6], or [1,1,found,7] of OpenVINO.
bool is_end_to_end(const Dimensions& shape) {
  if (shape.size() == 4) return shape[0] == 1 && shape[1] == 1 && shape[3] == 7;
  return shape.size() == 3 && shape[1] >= 2 && (shape[2] == 6 || shape[2] == 7);
}

bool is_box_head(const std::vector<OutputShape>& outputs) {
  for (const OutputShape& output : outputs) {
    if (!is_boxes(output.dimensions)) continue;
    return std::any_of(outputs.begin(), outputs.end(),
                       [&](const OutputShape& other) { return is_scores_of(other.dimensions, output.dimensions); });
  }
  return !outputs.empty() && (is_grid_of_boxes(outputs[0].dimensions) || is_end_to_end(outputs[0].dimensions));
}

Dimensions without_ones(const Dimensions& shape) {
  Dimensions rest;
  std::copy_if(shape.begin() + (shape.empty() ? 0 : 1), shape.end(), std::back_inserter(rest),
               [](std::int64_t dimension) { return dimension != 1; });
  return rest;
}

}  // namespace

std::vector<OutputShape> shapes_of_outputs(const std::vector<Tensor>& outputs) {
  std::vector<OutputShape> shapes;
  for (const Tensor& output : outputs) {
    OutputShape shape;
    for (const std::size_t dimension : output.shape()) shape.dimensions.push_back(static_cast<std::int64_t>(dimension));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

OutputKind kind_of_outputs(const std::vector<OutputShape>& outputs, bool reads_images) {
  if (outputs.empty()) return OutputKind::Other;
  if (reads_images && is_detections(outputs)) return OutputKind::Detections;
  if (reads_images && is_box_head(outputs)) return OutputKind::BoxHead;
  const Dimensions sizes = without_ones(outputs[0].dimensions);
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return OutputKind::Other;
  if (sizes.empty()) return OutputKind::Number;
  if (sizes.size() == 1) return OutputKind::Classes;
  const std::size_t rank = outputs[0].dimensions.size();
  if (rank == 3) return OutputKind::Rows;
  return rank == 4 ? OutputKind::Map : OutputKind::Other;
}

std::string_view describe(OutputKind kind) { return text_of(kind).description; }

std::string_view fitting_metrics(OutputKind kind) { return text_of(kind).metrics; }

std::string to_string(const std::vector<OutputShape>& outputs) {
  std::string text;
  for (const OutputShape& output : outputs) {
    std::string shape;
    for (const std::int64_t dimension : output.dimensions)
      shape += (shape.empty() ? "" : ",") + (dimension < 0 ? "?" : std::to_string(dimension));
    text += fmt::format("{}[{}]", text.empty() ? "" : ", ", shape);
  }
  return text;
}

[[noreturn]] static void refuse(const std::vector<Tensor>& outputs, std::string_view metric,
                                std::string_view expected) {
  const std::vector<OutputShape> shapes = shapes_of_outputs(outputs);
  const OutputKind kind = kind_of_outputs(shapes);
  throw DataError(metric, fmt::format("the outputs of the model are {}; expected {}. These look like {}. Metrics that "
                                      "fit: {}",
                                      to_string(shapes), expected, describe(kind), fitting_metrics(kind)));
}

void check_class_scores(const std::vector<Tensor>& outputs, std::string_view metric) {
  const OutputKind kind = kind_of_outputs(shapes_of_outputs(outputs));
  if (kind == OutputKind::Classes || kind == OutputKind::Number) return;
  refuse(outputs, metric, "scores of classes, [count,classes], as the first output");
}

void check_embeddings(const std::vector<Tensor>& outputs, std::string_view metric) {
  if (kind_of_outputs(shapes_of_outputs(outputs)) != OutputKind::Classes)
    refuse(outputs, metric, "embeddings, [count,size], as the first output");
}

void check_map(const std::vector<Tensor>& outputs, std::string_view metric) {
  const OutputKind kind = kind_of_outputs(shapes_of_outputs(outputs));
  if (outputs.empty() || outputs[0].size() == 0 || is_integer_type(outputs[0].element_type())) return;
  if (kind != OutputKind::Map && kind != OutputKind::Rows && kind != OutputKind::Other)
    refuse(outputs, metric, "a map of scores, such as [count,classes,height,width], as the first output");
}

}  // namespace lpot
