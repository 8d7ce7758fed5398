// Random values of a given shape, to try out a model without data. A value depends on sample, input and position only.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "lpot/core/error.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/files.h"
#include "lpot/data/random.h"

namespace lpot {
namespace {

struct DummyInput {
  Shape shape;  // of one sample
  ElementType type = ElementType::F32;
  double low = 0, high = 1;
};

bool is_float(ElementType type) { return type >= ElementType::F16; }

Tensor fill(const DummyInput& input, std::uint64_t seed) {
  Tensor values(ElementType::F64, input.shape);
  auto* to = values.data<double>();
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) to[i] = input.low + (input.high - input.low) * unit_interval(mix(seed + i));
  // Whole numbers stay below `high`, so that 0..30522 gives valid places in a vocabulary of 30522.
  if (!is_float(input.type))
    for (std::size_t i = 0; i < count; ++i) to[i] = std::floor(to[i]);
  return values.converted(input.type);
}

class Dummy : public Dataset {
 public:
  Dummy(std::size_t size, std::vector<DummyInput> inputs, bool label, std::string identity)
      : size_(size), inputs_(std::move(inputs)), label_(label), identity_(std::move(identity)) {}

  std::size_t size() const override { return size_; }
  std::string identity() const override { return identity_; }

  Sample at(std::size_t index) const override {
    check_index("dummy", index, size_);
    Sample sample;
    for (std::size_t i = 0; i < inputs_.size(); ++i) sample.inputs.push_back(fill(inputs_[i], mix(mix(index) + i)));
    if (label_) sample.label = Tensor::scalar<std::int64_t>(0);
    return sample;
  }

 private:
  std::size_t size_;
  std::vector<DummyInput> inputs_;
  bool label_;
  std::string identity_;
};

// "128x3x32x32" or "[128, 3, 32, 32]"; empty when it is neither.
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

// The full shapes, one per input: a list of numbers is one shape, a list of texts that are shapes is several.
std::vector<Shape> read_shapes(const Component& component) {
  std::vector<Shape> shapes;
  Shape single;
  for (const std::string& text : component.parameters.texts("shape")) {
    Shape shape = parse_shape(text);
    if (shape.empty())
      throw config_error(component, fmt::format("shape: expected numbers or shapes like 128x3x32x32, got '{}'", text));
    if (shape.size() == 1)
      single.push_back(shape[0]);
    else
      shapes.push_back(std::move(shape));
  }
  if (!single.empty() && !shapes.empty()) throw config_error(component, "shape: numbers and whole shapes in one list");
  if (!single.empty()) shapes.push_back(std::move(single));
  if (shapes.empty()) throw config_error(component, "shape: expected [samples, ...], got an empty list");
  return shapes;
}

void check_shape(const Component& component, const Shape& shape, std::size_t samples) {
  constexpr std::size_t kMaxElements = std::size_t{1} << 31;
  std::size_t count = 1;
  for (std::size_t i = 1; i < shape.size(); ++i)
    if (shape[i] == 0 || __builtin_mul_overflow(count, shape[i], &count) || count > kMaxElements)
      throw config_error(component, fmt::format("shape: {} gives no usable sample", to_string(shape)));
  if (shape[0] != samples || samples == 0)
    throw config_error(component,
                       fmt::format("shape: the first dimension counts the samples; expected it above zero and "
                                   "equal for all inputs, got {}",
                                   to_string(shape)));
}

// The value for input i of a list that gives one for all or one for each.
template <typename T>
const T& pick(const Component& component, const std::string& name, const std::vector<T>& values, std::size_t i,
              std::size_t inputs) {
  if (values.size() != 1 && values.size() != inputs)
    throw config_error(component, fmt::format("{}: {} values for {} inputs, expected one, or one for each", name,
                                              values.size(), inputs));
  return values.size() == 1 ? values[0] : values[i];
}

std::unique_ptr<Dataset> make_dummy(const Component& component) {
  const Parameters& given = component.parameters;
  const std::vector<Shape> shapes = read_shapes(component);
  std::vector<DummyInput> inputs;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    check_shape(component, shapes[i], shapes[0][0]);
    DummyInput input{Shape(shapes[i].begin() + 1, shapes[i].end())};
    input.low = pick(component, "low", given.numbers("low"), i, shapes.size());
    input.high = pick(component, "high", given.numbers("high"), i, shapes.size());
    input.type = parse_element_type(pick(component, "dtype", given.texts("dtype"), i, shapes.size()));
    if (!(input.low <= input.high))
      throw config_error(component, fmt::format("low {} is above high {}", input.low, input.high));
    inputs.push_back(std::move(input));
  }
  return std::make_unique<Dummy>(shapes[0][0], std::move(inputs), given.flag("label"),
                                 fmt::format("dummy({})", given.describe()));
}

}  // namespace

DatasetKind dummy_dataset() {
  return {{.name = "dummy",
           .summary = "random values, to try out a model without data",
           .parameters =
               {{.name = "shape",
                 .kind = ValueKind::TextList,
                 .required = true,
                 .summary = "[samples, ...]; for several inputs: 128x3x32x32, 128x10"},
                {.name = "low", .kind = ValueKind::NumberList, .default_value = "-128", .summary = "least value"},
                {.name = "high", .kind = ValueKind::NumberList, .default_value = "127", .summary = "values stay below"},
                {.name = "dtype", .kind = ValueKind::TextList, .default_value = "float32", .summary = "element type"},
                {.name = "label", .kind = ValueKind::Flag, .default_value = "true", .summary = "gives label 0"}}},
          make_dummy};
}

}  // namespace lpot
