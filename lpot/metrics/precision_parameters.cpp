#include "lpot/metrics/precision_parameters.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "lpot/core/registry.h"
#include "lpot/metrics/average_precision.h"

namespace lpot {
namespace {

constexpr std::size_t kMostThresholds = 100;

}  // namespace

Parameter thresholds_parameter(const std::string& default_value) {
  return {.name = "iou_thrs",
          .default_value = default_value,
          .summary = "minimum overlap of a correct box: a number, or first:step:last"};
}

Parameter points_parameter(const std::string& default_value) {
  return {.name = "map_points",
          .kind = ValueKind::Integer,
          .default_value = default_value,
          .summary = "number of recall values: 101 or 11; 0: area under the curve"};
}

int read_points(const Component& component) {
  const std::int64_t points = component.parameters.integer("map_points");
  if (points != 0 && points != 11 && points != 101)
    throw config_error(component, fmt::format("map_points: expected 0, 11 or 101, got {}", points));
  return static_cast<int>(points);
}

std::vector<double> read_thresholds(const Component& component) {
  const std::string& text = component.parameters.text("iou_thrs");
  const auto error = [&] {
    return config_error(component, fmt::format("iou_thrs: expected a number in 0..1 or first:step:last of at most {} "
                                               "values, for example 0.5:0.05:0.95, got '{}'",
                                               kMostThresholds, text));
  };
  std::vector<double> numbers;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(':', start), text.size());
    const std::string part = trim(text.substr(start, end - start));
    double number = 0;
    const auto parsed = std::from_chars(part.data(), part.data() + part.size(), number);
    if (parsed.ec != std::errc() || parsed.ptr != part.data() + part.size() || !(number >= 0 && number <= 1))
      throw error();
    numbers.push_back(number);
    start = end + 1;
  }
  if (numbers.size() == 1) return numbers;
  if (numbers.size() != 3 || numbers[1] == 0 || numbers[2] < numbers[0]) throw error();
  const double steps = std::round((numbers[2] - numbers[0]) / numbers[1]);
  if (steps + 1 > kMostThresholds || std::fabs(numbers[0] + steps * numbers[1] - numbers[2]) > 1e-6) throw error();
  if (steps == 0) return {numbers[0]};
  return linear(numbers[0], numbers[2], static_cast<std::size_t>(steps) + 1);
}

}  // namespace lpot
