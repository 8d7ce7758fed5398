#include "lpot/data/datasets/dummy_values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "lpot/core/random.h"
#include "lpot/core/registry.h"

namespace lpot {
namespace {

constexpr std::size_t kMaxElements = std::size_t{1} << 31;

// Parses "128x3x32x32" or "[128, 3, 32, 32]". Empty if it is neither.
Shape parse_shape(const std::string& text) {
  Shape shape;
  std::size_t start = 0;
  while ((start = text.find_first_not_of("[]()x, ", start)) != std::string::npos) {
    std::size_t dimension = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + start, end, dimension);
    if (error != std::errc()) return {};
    shape.push_back(dimension);
    start = static_cast<std::size_t>(stop - text.data());
  }
  return shape;
}

void check_elements(const Component& component, const Shape& shape) {
  std::size_t count = 1;
  for (const std::size_t dimension : shape)
    if (dimension == 0 || __builtin_mul_overflow(count, dimension, &count) || count > kMaxElements)
      throw config_error(component, fmt::format("shape: {} has no elements or too many", to_string(shape)));
}

// The value for tensor i. The list has one value for all tensors or one value per tensor.
template <typename T>
const T& pick(const Component& component, const std::string& name, const std::vector<T>& values, std::size_t i,
              std::size_t tensors) {
  if (values.size() != 1 && values.size() != tensors)
    throw config_error(component, fmt::format("{}: {} values for {} tensors; expected one value, or one per tensor",
                                              name, values.size(), tensors));
  return values.size() == 1 ? values[0] : values[i];
}

}  // namespace

Tensor fill(const DummyTensor& tensor, std::uint64_t seed) {
  Tensor values(ElementType::F64, tensor.shape);
  auto* to = values.data<double>();
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i)
    to[i] = tensor.low + (tensor.high - tensor.low) * unit_interval(mix(seed + i));
  // Integers are below `high`, so that low 0 and high 30522 give valid ids of a vocabulary of 30522 tokens.
  if (is_integer_type(tensor.type))
    for (std::size_t i = 0; i < count; ++i) to[i] = std::floor(to[i]);
  return values.converted(tensor.type);
}

std::vector<Shape> read_shapes(const Component& component, const std::string& parameter) {
  std::vector<Shape> shapes;
  Shape single;
  for (const std::string& text : component.parameters.texts(parameter)) {
    Shape shape = parse_shape(text);
    if (shape.empty())
      throw config_error(component,
                         fmt::format("{}: expected numbers or shapes like 128x3x32x32, got '{}'", parameter, text));
    if (shape.size() == 1 && text.find_first_of("[(") == std::string::npos)
      single.push_back(shape[0]);
    else
      shapes.push_back(std::move(shape));
  }
  if (!single.empty() && !shapes.empty())
    throw config_error(component,
                       fmt::format("{}: the list contains numbers and shapes; expected only one of them", parameter));
  if (!single.empty()) shapes.push_back(std::move(single));
  if (shapes.empty())
    throw config_error(component, fmt::format("{}: expected a shape like [3, 32, 32], got an empty list", parameter));
  return shapes;
}

std::vector<DummyTensor> with_values(const Component& component, std::vector<Shape> shapes) {
  const Parameters& given = component.parameters;
  std::vector<DummyTensor> tensors;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    check_elements(component, shapes[i]);
    DummyTensor tensor{std::move(shapes[i])};
    tensor.low = pick(component, "low", given.numbers("low"), i, shapes.size());
    tensor.high = pick(component, "high", given.numbers("high"), i, shapes.size());
    tensor.type = parse_element_type(pick(component, "dtype", given.texts("dtype"), i, shapes.size()));
    if (!(tensor.low <= tensor.high))
      throw config_error(component,
                         fmt::format("low {} is greater than high {}; expected low <= high", tensor.low, tensor.high));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace lpot
