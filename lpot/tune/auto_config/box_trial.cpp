#include "lpot/tune/auto_config/box_trial.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "lpot/core/error.h"
#include "lpot/evaluate/boxes/box_head.h"
#include "lpot/evaluate/postprocess.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

constexpr double kSlack = 1e-2;            // of scores, as Boxes allows
constexpr double kRareDisorder = 0.05;     // of boxes whose corners are not in order, if the values are corners
constexpr double kLikelyBackground = 0.5;  // the mean probability of the class that is no object

bool is_score(double value) { return value >= -kSlack && value <= 1 + kSlack; }

// The grid of one output: rows of a box, scores and other columns.
struct Grid {
  Tensor values;
  std::size_t rows = 0, columns = 0, first_score = 4;
  bool is_transposed = false;

  double at(std::size_t image, std::size_t row, std::size_t column) const {
    const std::size_t within = is_transposed ? column * rows + row : row * columns + column;
    return values.value_at(image * rows * columns + within);
  }
};

Grid grid_of(const Tensor& output, BoxHead head) {
  const std::size_t a = output.shape()[1], b = output.shape()[2];
  const bool is_transposed = head == BoxHead::YoloV8 && a < b;
  return {output, is_transposed ? b : a, is_transposed ? a : b, head == BoxHead::YoloV8 ? std::size_t{4} : 5,
          is_transposed};
}

// The number of channels of prototypes of masks [count,channels,height,width], which each box has coefficients for.
std::size_t mask_coefficients(const std::vector<Tensor>& outputs) {
  for (const Tensor& output : outputs)
    if (output.shape().size() == 4 && output.shape()[2] > 1 && output.shape()[3] > 1) return output.shape()[1];
  return 0;
}

// The columns from the first one that contains other values than scores.
std::size_t columns_after_scores(const Grid& grid) {
  const auto is_score_column = [&](std::size_t column) {
    for (std::size_t image = 0; image < grid.values.shape()[0]; ++image)
      for (std::size_t row = 0; row < grid.rows; ++row)
        if (!is_score(grid.at(image, row, column))) return false;
    return true;
  };
  std::size_t column = grid.first_score;
  while (column < grid.columns && is_score_column(column)) ++column;
  return grid.columns - column;
}

std::vector<std::string> grid_parameters(const std::vector<Tensor>& outputs, BoxHead head) {
  const Grid grid = grid_of(outputs[0], head);
  const std::size_t others = columns_after_scores(grid), coefficients = mask_coefficients(outputs);
  if (others == 0) return {};
  // The first coefficients may look like scores.
  const bool has_masks = coefficients >= others && grid.first_score + coefficients < grid.columns;
  const std::size_t ignored = has_masks ? coefficients : others;
  if (grid.first_score + ignored >= grid.columns) return {};
  return {fmt::format("ignored_columns: {}", ignored)};
}

// Whether values are centers and sizes: as corners, many would not be in order.
bool are_centers(const Tensor& boxes) {
  std::size_t disordered = 0;
  for (std::size_t i = 0; i < boxes.size(); i += 4)
    disordered += boxes.value_at(i) > boxes.value_at(i + 2) || boxes.value_at(i + 1) > boxes.value_at(i + 3);
  return static_cast<double>(disordered) > kRareDisorder * static_cast<double>(boxes.size() / 4);
}

// Softmax if the first or the last class is likely the background, else sigmoid.
std::string activation_of(const Tensor& logits) {
  const std::size_t classes = logits.shape().back();
  double first = 0, last = 0;
  for (std::size_t start = 0; start < logits.size(); start += classes) {
    double highest = logits.value_at(start), sum = 0;
    for (std::size_t k = 1; k < classes; ++k) highest = std::max(highest, logits.value_at(start + k));
    for (std::size_t k = 0; k < classes; ++k) sum += std::exp(logits.value_at(start + k) - highest);
    first += std::exp(logits.value_at(start) - highest) / sum;
    last += std::exp(logits.value_at(start + classes - 1) - highest) / sum;
  }
  const bool has_background = std::max(first, last) > kLikelyBackground * static_cast<double>(logits.size() / classes);
  return classes > 1 && has_background ? "softmax" : "sigmoid";
}

// Boxes [count,anchors,4] and scores [count,anchors,classes].
std::vector<std::string> ssd_parameters(const std::vector<Tensor>& outputs) {
  const auto boxes = std::find_if(outputs.begin(), outputs.end(), [](const Tensor& output) {
    return output.shape().size() == 3 && output.shape()[2] == 4;
  });
  const auto scores = std::find_if(outputs.begin(), outputs.end(), [&](const Tensor& output) {
    return &output != &*boxes && output.shape().size() == 3 && output.shape()[1] == boxes->shape()[1];
  });
  std::vector<std::string> parameters;
  bool are_scores = true;
  for (std::size_t i = 0; i < scores->size(); ++i) are_scores = are_scores && is_score(scores->value_at(i));
  if (!are_scores) parameters.push_back("activation: " + activation_of(*scores));
  if (are_centers(*boxes)) parameters.emplace_back("box_format: xywh");
  return parameters;
}

}  // namespace

BoxTrial try_boxes(const SampleOutputs& samples) {
  BoxTrial trial;
  const auto head = find_head(samples.last_outputs, samples.last_count, image_size(samples.last_inputs));
  std::vector<std::string> parameters;
  if (head == BoxHead::YoloV5 || head == BoxHead::YoloV8 || head == BoxHead::YoloX)
    parameters = grid_parameters(samples.last_outputs, *head);
  else if (head == BoxHead::Ssd)
    parameters = ssd_parameters(samples.last_outputs);
  trial.parameters = fmt::format("{{{}}}", fmt::join(parameters, ", "));
  try {
    const Component boxes = parse_component("Boxes: " + trial.parameters, component_tables().postprocesses);
    make_postprocesses({boxes}).front()->apply(
        {samples.last_outputs, std::vector<Tensor>(samples.last_count), samples.last_inputs});
  } catch (const DataError& error) {
    trial.error = error.what();
  }
  return trial;
}

CheckedRole check_boxes(OutputRole role, const SampleOutputs& samples) {
  if (role.kind != OutputRoleKind::Boxes) return {std::move(role)};
  BoxTrial trial = try_boxes(samples);
  role.box_parameters = std::move(trial.parameters);
  if (trial.error.empty()) return {std::move(role)};
  OutputRole values;
  values.evidence = "those of a detector, which Boxes cannot read";
  return {std::move(values),
          fmt::format("the outputs seem to be those of a detector, but the postprocess Boxes cannot read them, so the "
                      "metric compares plain values of the first output: {}. To compare boxes, use BoxAgreement after "
                      "Boxes with other parameters",
                      trial.error)};
}

}  // namespace lpot
