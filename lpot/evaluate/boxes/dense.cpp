#include "lpot/evaluate/boxes/dense.h"

#include <fmt/format.h>

#include <cmath>

namespace lpot {
namespace {

constexpr double kScoreSlack = 1e-2;  // int8 and float16 scores may be slightly outside of 0..1

}  // namespace

DataError unfit(const std::vector<Tensor>& outputs, BoxHead head) {
  return DataError("Boxes", fmt::format("the outputs are {}; expected {}. Set head to the head of the model, or remove "
                                        "it to detect the head",
                                        describe(outputs), describe(head)));
}

BoxFormat format_or(BoxFormat format, BoxFormat of_head) { return format == BoxFormat::Default ? of_head : format; }

double apply(Activation activation, double value) {
  return activation == Activation::Sigmoid ? 1 / (1 + std::exp(-value)) : value;
}

Box to_box(const std::array<double, 4>& values, BoxFormat format) {
  const auto& [a, b, c, d] = values;
  switch (format) {
    case BoxFormat::CenterSize:
      return {b - d / 2, a - c / 2, b + d / 2, a + c / 2};
    case BoxFormat::CornersFromTop:
      return {a, b, c, d};
    case BoxFormat::Default:
    case BoxFormat::Corners:
      break;
  }
  return {b, a, d, c};
}

void check_score(double score) {
  if (!(score >= -kScoreSlack && score <= 1 + kScoreSlack))
    throw DataError("Boxes", fmt::format("found the score {:.6g}; expected 0..1. If the outputs are logits, set "
                                         "activation to sigmoid or softmax. If the last columns are coefficients of "
                                         "masks or key points, set ignored_columns to their number. Else check head",
                                         score));
}

void check_classes(std::size_t found, const DecodeOptions& options, const std::string& output) {
  if (found == 0)
    throw DataError("Boxes", fmt::format("the output {} has no column for scores; expected {}. Set head, and "
                                         "ignored_columns to the number of other columns",
                                         output, describe(options.head)));
  if (options.classes && *options.classes != found)
    throw DataError("Boxes", fmt::format("the output {} has scores of {} classes; expected classes: {}. Set classes to "
                                         "the model's number, head if this is not {}, or ignored_columns if the last "
                                         "columns are no scores",
                                         output, found, *options.classes, describe(options.head)));
}

std::vector<Found> select_boxes(const DenseValues& values, const DenseColumns& columns, const DecodeOptions& options,
                                const std::function<Box(std::size_t row)>& box_of) {
  std::vector<Found> found;
  for (std::size_t row = 0; row < values.rows; ++row) {
    double objectness = 1;
    if (columns.has_objectness) {
      objectness = apply(options.activation, values.at(row, columns.first_score - 1));
      check_score(objectness);
      if (objectness < options.score_threshold) continue;
    }
    for (std::size_t i = 0; i < columns.classes; ++i) {
      const double score = apply(options.activation, values.at(row, columns.first_score + i));
      check_score(score);
      if (objectness * score >= options.score_threshold)
        found.push_back({box_of(row), static_cast<std::int64_t>(i), objectness * score});
    }
  }
  return found;
}

}  // namespace lpot
