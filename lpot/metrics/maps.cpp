#include "lpot/metrics/maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "lpot/core/error.h"
#include "lpot/core/registry.h"

namespace lpot {
namespace {

constexpr std::size_t kMostShortClasses = std::numeric_limits<std::int16_t>::max();

// The class of each point. `Class` is i16 or i32, `Value` is f32 or f64.
template <typename Class, typename Value>
Tensor highest_of(const Tensor& scores, const MapLayout& layout) {
  Tensor classes(element_type_of<Class>(), layout.points);
  const Value* values = scores.data<Value>();
  Class* found = classes.data<Class>();
  std::vector<Value> best(layout.inner);
  const std::size_t blocks = layout.count() / layout.inner;
  for (std::size_t block = 0; block < blocks; ++block, found += layout.inner) {
    std::fill(best.begin(), best.end(), -std::numeric_limits<Value>::infinity());
    for (std::size_t k = 0; k < layout.classes; ++k, values += layout.inner)
      for (std::size_t p = 0; p < layout.inner; ++p) {
        if (std::isnan(values[p])) found[p] = -1;
        if (found[p] < 0 || !(values[p] > best[p])) continue;
        best[p] = values[p];
        found[p] = static_cast<Class>(k);
      }
  }
  return classes;
}

template <typename Class>
Tensor highest_as(const Tensor& scores, const MapLayout& layout) {
  if (scores.element_type() == ElementType::F32) return highest_of<Class, float>(scores, layout);
  return highest_of<Class, double>(scores.converted(ElementType::F64), layout);
}

Tensor sides(const Tensor& scores, const MapLayout& layout, double threshold) {
  Tensor classes(ElementType::I16, layout.points);
  auto* found = classes.data<std::int16_t>();
  for (std::size_t p = 0; p < layout.count(); ++p) {
    const double value = scores.value_at(p);
    found[p] = static_cast<std::int16_t>(std::isnan(value) ? -1 : value > threshold ? 1 : 0);
  }
  return classes;
}

// Whether floats are classes: whole numbers, not only 0 and 1, which may be certain scores.
bool are_classes(const Tensor& values) {
  bool has_class_above_1 = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values.value_at(i);
    if (!(value >= 0) || value != std::floor(value) || value > std::numeric_limits<std::int32_t>::max()) return false;
    has_class_above_1 = has_class_above_1 || value > 1;
  }
  return has_class_above_1;
}

Tensor smallest_type(const Tensor& classes) {
  double highest = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) highest = std::max(highest, classes.value_at(i));
  return classes.converted(highest > static_cast<double>(kMostShortClasses) ? ElementType::I32 : ElementType::I16);
}

MapLayout layout_along(const Shape& shape, std::size_t axis) {
  MapLayout layout{shape, shape[axis], 1};
  layout.points.erase(layout.points.begin() + static_cast<std::ptrdiff_t>(axis));
  for (std::size_t i = axis + 1; i < shape.size(); ++i) layout.inner *= shape[i];
  return layout;
}

bool all_equal(Shape::const_iterator first, Shape::const_iterator last) {
  return std::all_of(first, last, [&](std::size_t size) { return size == *first; });
}

// Of a sample with at least three axes.
ClassAxis detected_axis(const Shape& shape) {
  const std::size_t first = shape.front(), last = shape.back();
  if (first == 1 || last == 1) return first == 1 ? ClassAxis::First : ClassAxis::Last;
  const bool rest_of_first = all_equal(shape.begin() + 1, shape.end());
  const bool rest_of_last = all_equal(shape.begin(), shape.end() - 1);
  if (rest_of_first != rest_of_last) return rest_of_first ? ClassAxis::First : ClassAxis::Last;
  if (2 * first <= last) return ClassAxis::First;
  return 2 * last <= first ? ClassAxis::Last : ClassAxis::Auto;
}

}  // namespace

std::vector<Parameter> map_parameters() {
  return {{.name = "class_axis",
           .default_value = "auto",
           .summary = "where the classes are: first [count,classes,height,width], last [count,height,width,classes], "
                      "none (one value per point)",
           .choices = {"auto", "first", "last", "none"}},
          {.name = "threshold",
           .kind = ValueKind::Number,
           .default_value = "0.5",
           .summary = "for one score per point: above it is class 1, else class 0"}};
}

MapOptions map_options(const Component& component) {
  const std::string& axis = component.parameters.text("class_axis");
  const double threshold = component.parameters.number("threshold");
  if (!std::isfinite(threshold))
    throw config_error(component, fmt::format("threshold: expected a finite number, got {}", threshold));
  if (axis == "auto") return {ClassAxis::Auto, threshold};
  if (axis == "first") return {ClassAxis::First, threshold};
  if (axis == "last") return {ClassAxis::Last, threshold};
  if (axis == "none") return {ClassAxis::None, threshold};
  throw config_error(component, fmt::format("class_axis: expected auto, first, last or none, got '{}'", axis));
}

MapLayout map_layout(const Shape& shape, ClassAxis axis, std::string_view metric) {
  if (axis == ClassAxis::None) return {shape, 1, 1};
  if (axis == ClassAxis::Auto && shape.size() >= 3) axis = detected_axis(shape);
  if (axis == ClassAxis::Auto)
    throw DataError(metric, fmt::format("the first output is {} for each sample, which does not show where the "
                                        "classes are; set class_axis to first, last or none",
                                        to_string(shape)));
  if (shape.size() < 2)
    throw DataError(metric, fmt::format("the first output is {} for each sample, expected a map: an axis of classes "
                                        "and an axis of points",
                                        to_string(shape)));
  return layout_along(shape, axis == ClassAxis::First ? 0 : shape.size() - 1);
}

Tensor highest_classes(const Tensor& scores, const MapLayout& layout) {
  return layout.classes > kMostShortClasses ? highest_as<std::int32_t>(scores, layout)
                                            : highest_as<std::int16_t>(scores, layout);
}

Tensor point_classes(const Tensor& sample, const MapOptions& options, std::string_view metric) {
  if (sample.empty() || sample.size() == 0) throw DataError(metric, "the first output has no values");
  const bool has_axis = options.axis == ClassAxis::First || options.axis == ClassAxis::Last;
  if (!has_axis && (is_integer_type(sample.element_type()) || are_classes(sample))) return smallest_type(sample);
  const MapLayout layout = map_layout(sample.shape(), options.axis, metric);
  return layout.classes == 1 ? sides(sample, layout, options.threshold) : highest_classes(sample, layout);
}

}  // namespace lpot
