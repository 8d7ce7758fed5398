#include "lpot/metrics/scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "lpot/core/error.h"

namespace lpot {

void check_first_output(const std::vector<Tensor>& outputs, std::size_t count, std::string_view metric) {
  if (outputs.empty()) throw DataError(metric, "the model has no output; expected at least one");
  const Tensor& output = outputs[0];
  if (output.empty() || output.shape().empty() || output.shape()[0] != count)
    throw DataError(metric, fmt::format("the first output is {}, expected one row for each of {} labels",
                                        output.describe(), count));
}

Scores::Scores(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels, std::string_view metric) {
  check_first_output(outputs, labels.size(), metric);
  const Tensor& output = outputs[0];
  values_ = output.converted(ElementType::F64);
  rows_ = labels.size();
  columns_ = rows_ == 0 ? 0 : output.size() / rows_;
}

std::optional<std::size_t> argmax(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  std::size_t best = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) return std::nullopt;
    if (values[i] > values[best]) best = i;
  }
  return best;
}

std::vector<double> to_doubles(const Tensor& tensor) {
  const Tensor wide = tensor.converted(ElementType::F64);
  return {wide.data<double>(), wide.data<double>() + wide.size()};
}

std::int64_t label_number(const Tensor& label, std::size_t sample, std::string_view metric) {
  if (label.empty())
    throw DataError(metric,
                    fmt::format("sample {} of the batch has no label; use a data set with labels, or the metric "
                                "Agreement",
                                sample));
  if (label.size() != 1)
    throw DataError(metric, fmt::format("the label of sample {} of the batch is {}, expected one whole number", sample,
                                        label.describe()));
  if (label.element_type() == ElementType::I64) return *label.data<std::int64_t>();
  const double value = label.value_at(0);
  if (!(std::fabs(value) < 0x1p53) || value != std::floor(value))
    throw DataError(metric,
                    fmt::format("the label of sample {} of the batch is {}, expected a whole number", sample, value));
  return static_cast<std::int64_t>(value);
}

std::size_t label_class(const Tensor& label, std::size_t sample, std::size_t classes, std::string_view metric) {
  const std::int64_t number = label_number(label, sample, metric);
  if (number < 0 || static_cast<std::uint64_t>(number) >= classes)
    throw DataError(metric,
                    fmt::format("label {} of sample {} of the batch, expected 0..{} for {} classes. If the labels "
                                "do not start at 0, use LabelShift",
                                number, sample, classes - 1, classes));
  return static_cast<std::size_t>(number);
}

double Share::value(std::string_view metric) const {
  if (total == 0) throw DataError(metric, "no samples were evaluated; check that the data set is not empty");
  return static_cast<double>(right) / static_cast<double>(total);
}

double margin_of(std::span<const double> scores, std::size_t place, std::size_t k) {
  std::vector<double> others;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (i != place) others.push_back(scores[i]);
  if (others.size() < k) return std::numeric_limits<double>::infinity();
  const auto kth = others.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(others.begin(), kth, others.end(), std::greater<>());
  const double margin = scores[place] - *kth;
  return std::isnan(margin) ? 0 : margin;
}

}  // namespace lpot
