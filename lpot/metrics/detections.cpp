#include "lpot/metrics/detections.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "lpot/core/error.h"
#include "lpot/metrics/output_kind.h"
#include "lpot/metrics/scores.h"

namespace lpot {
namespace {

constexpr std::size_t kColumns = 7;
constexpr double kSlack = 0.1;  // annotations may slightly exceed the image, but must not be in pixels

bool is_whole(double value) { return std::fabs(value) < 0x1p53 && value == std::floor(value); }

struct Places {
  std::size_t boxes, scores, classes;
  std::optional<std::size_t> number;
};

std::string describe(const std::vector<Tensor>& outputs) {
  std::string joined;
  for (const Tensor& output : outputs) joined += fmt::format("{}{}", joined.empty() ? "" : ", ", output.describe());
  return joined.empty() ? "none" : joined;
}

bool is_number(const Tensor& output, std::size_t count) {
  const Shape& shape = output.shape();
  return shape == Shape{count} || shape == Shape{count, 1};
}

Places find_places(const std::vector<Tensor>& outputs, std::size_t count, std::string_view metric) {
  const auto error = [&] {
    const OutputKind kind = kind_of_outputs(shapes_of_outputs(outputs));
    const std::string advice =
        kind == OutputKind::BoxHead || kind == OutputKind::Detections
            ? "Add the postprocess Boxes, which finds the boxes in the outputs"
            : fmt::format("These look like {}. Metrics that fit: {}", lpot::describe(kind), fitting_metrics(kind));
    return DataError(metric, fmt::format("the model's outputs are {}; expected for {} samples boxes [count,found,4], "
                                         "scores [count,found] and classes [count,found], optionally with number "
                                         "[count]. {}",
                                         describe(outputs), count, advice));
  };
  if (outputs.size() != 3 && outputs.size() != 4) throw error();
  std::optional<std::size_t> boxes, number;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Shape& shape = outputs[i].shape();
    if (shape.size() == 3 && shape[0] == count && shape[2] == 4) boxes = i;
    if (outputs.size() == 4 && is_number(outputs[i], count) &&
        (!number || shape.size() < outputs[*number].shape().size()))
      number = i;
  }
  if (!boxes || (outputs.size() == 4 && !number)) throw error();
  std::vector<std::size_t> rest;
  const Shape row{count, outputs[*boxes].shape()[1]};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (i == *boxes || i == number) continue;
    if (outputs[i].shape() != row) throw error();
    rest.push_back(i);
  }
  if (rest.size() != 2) throw error();
  const bool classes_first =
      is_integer_type(outputs[rest[0]].element_type()) && !is_integer_type(outputs[rest[1]].element_type());
  return {*boxes, rest[classes_first ? 1 : 0], rest[classes_first ? 0 : 1], number};
}

std::vector<Truth> read_truths(const Tensor& label, std::size_t sample, std::string_view metric) {
  if (label.empty() || label.shape().size() != 2 || label.shape()[1] != kColumns)
    throw DataError(metric, fmt::format("the label of sample {} of the batch is {}, expected [objects,7] of y_min, "
                                        "x_min, y_max, x_max, class, flag, area; use a data set of detections",
                                        sample, label.empty() ? "missing" : label.describe()));
  const std::vector<double> values = to_doubles(label);
  std::vector<Truth> truths;
  for (std::size_t i = 0; i < label.shape()[0]; ++i) {
    const double* row = values.data() + i * kColumns;
    for (std::size_t k = 0; k < 4; ++k)
      if (!(row[k] >= -kSlack && row[k] <= 1 + kSlack))
        throw DataError(metric, fmt::format("object {} of sample {} of the batch has the coordinate {}, expected 0..1, "
                                            "relative to the image",
                                            i, sample, row[k]));
    if (row[2] < row[0] || row[3] < row[1])
      throw DataError(metric,
                      fmt::format("object {} of sample {} of the batch has the box {} {} {} {}, expected y_min, "
                                  "x_min, y_max, x_max",
                                  i, sample, row[0], row[1], row[2], row[3]));
    if (!is_whole(row[4]) || row[4] < 0)
      throw DataError(metric, fmt::format("object {} of sample {} of the batch has the class {}, expected a whole "
                                          "number of 0 or more",
                                          i, sample, row[4]));
    truths.push_back({{row[0], row[1], row[2], row[3]}, static_cast<std::int64_t>(row[4]), row[5] != 0});
  }
  return truths;
}

}  // namespace

std::vector<std::vector<Found>> read_detections(const std::vector<Tensor>& outputs, std::size_t count,
                                                std::string_view metric) {
  const Places places = find_places(outputs, count, metric);
  const std::size_t most = outputs[places.boxes].shape()[1];
  const std::vector<double> boxes = to_doubles(outputs[places.boxes]), scores = to_doubles(outputs[places.scores]),
                            classes = to_doubles(outputs[places.classes]);
  std::vector<std::vector<Found>> images(count);
  for (std::size_t sample = 0; sample < count; ++sample) {
    const double number = places.number ? outputs[*places.number].value_at(sample) : static_cast<double>(most);
    if (!is_whole(number) || number < 0 || number > static_cast<double>(most))
      throw DataError(metric, fmt::format("the output number is {} for sample {} of the batch, expected 0..{}, the "
                                          "number of boxes",
                                          number, sample, most));
    for (std::size_t i = 0; i < static_cast<std::size_t>(number); ++i) {
      const std::size_t at = sample * most + i;
      const double* box = boxes.data() + at * 4;
      if (std::isnan(box[0] + box[1] + box[2] + box[3]) || std::isnan(scores[at]))
        throw DataError(
            metric, fmt::format("box {} of sample {} of the batch or its score is NaN; expected numbers", i, sample));
      if (!is_whole(classes[at]))
        throw DataError(metric,
                        fmt::format("box {} of sample {} of the batch has the class {}, expected a whole number. "
                                    "Set model.outputs to the order boxes, scores, classes",
                                    i, sample, classes[at]));
      images[sample].push_back({{box[0], box[1], box[2], box[3]}, static_cast<std::int64_t>(classes[at]), scores[at]});
    }
  }
  return images;
}

std::vector<Image> read_images(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels,
                               std::string_view metric) {
  std::vector<std::vector<Found>> found = read_detections(outputs, labels.size(), metric);
  std::vector<Image> images;
  for (std::size_t sample = 0; sample < labels.size(); ++sample)
    images.push_back({read_truths(labels[sample], sample, metric), std::move(found[sample])});
  return images;
}

}  // namespace lpot
