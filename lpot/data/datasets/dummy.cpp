// Random values of a given shape, to test a model without data. A value only depends on sample, input and position.
#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/core/random.h"
#include "lpot/data/datasets/dummy_values.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/files.h"

namespace lpot {
namespace {

class Dummy : public Dataset {
 public:
  Dummy(std::size_t size, std::vector<DummyTensor> inputs, bool label, std::string identity)
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
  std::vector<DummyTensor> inputs_;
  bool label_;
  std::string identity_;
};

// The first dimension is the number of samples.
std::size_t split_sample_dimension(const Component& component, std::vector<Shape>& shapes) {
  const std::size_t samples = shapes[0][0];
  for (Shape& shape : shapes) {
    if (shape[0] != samples || samples == 0)
      throw config_error(component,
                         fmt::format("shape: the first dimension is the number of samples; expected a positive number, "
                                     "equal for all inputs, got {}",
                                     to_string(shape)));
    shape.erase(shape.begin());
  }
  return samples;
}

std::unique_ptr<Dataset> make_dummy(const Component& component) {
  std::vector<Shape> shapes = read_shapes(component, "shape");
  const std::size_t samples = split_sample_dimension(component, shapes);
  return std::make_unique<Dummy>(samples, with_values(component, std::move(shapes)), component.parameters.flag("label"),
                                 fmt::format("dummy({})", component.parameters.describe()));
}

}  // namespace

DatasetKind dummy_dataset() {
  return {{.name = "dummy",
           .summary = "random values, to test a model without data",
           .parameters =
               {{.name = "shape",
                 .kind = ValueKind::TextList,
                 .required = true,
                 .summary = "[samples, ...]; for several inputs: 128x3x32x32, 128x10"},
                {.name = "low",
                 .kind = ValueKind::NumberList,
                 .default_value = "-128",
                 .summary = "lower bound of the values"},
                {.name = "high",
                 .kind = ValueKind::NumberList,
                 .default_value = "127",
                 .summary = "upper bound of the values, exclusive for integers"},
                {.name = "dtype", .kind = ValueKind::TextList, .default_value = "float32", .summary = "element type"},
                {.name = "label",
                 .kind = ValueKind::Flag,
                 .default_value = "true",
                 .summary = "whether samples have the label 0"}}},
          make_dummy};
}

}  // namespace lpot
