// Random inputs and labels of given shapes. LPOT's data set is endless; here sample_size is the number of samples.
#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/core/random.h"
#include "lpot/data/datasets/dummy_values.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/files.h"

namespace lpot {
namespace {

class DummyV2 : public Dataset {
 public:
  // If `labelled`, the last tensor is the label.
  DummyV2(std::size_t size, std::vector<DummyTensor> tensors, bool labelled, std::string identity)
      : size_(size), tensors_(std::move(tensors)), labelled_(labelled), identity_(std::move(identity)) {}

  std::size_t size() const override { return size_; }
  std::string identity() const override { return identity_; }

  Sample at(std::size_t index) const override {
    check_index("dummy_v2", index, size_);
    Sample sample;
    for (std::size_t i = 0; i < tensors_.size(); ++i) sample.inputs.push_back(fill(tensors_[i], mix(mix(index) + i)));
    if (!labelled_) return sample;
    sample.label = std::move(sample.inputs.back());
    sample.inputs.pop_back();
    return sample;
  }

 private:
  std::size_t size_;
  std::vector<DummyTensor> tensors_;
  bool labelled_;
  std::string identity_;
};

std::unique_ptr<Dataset> make_dummy_v2(const Component& component) {
  const Parameters& given = component.parameters;
  std::vector<Shape> shapes = read_shapes(component, "input_shape");
  const bool labelled = given.has("label_shape");
  if (labelled) {
    std::vector<Shape> label = read_shapes(component, "label_shape");
    if (label.size() != 1)
      throw config_error(component, fmt::format("label_shape: {} shapes, expected one", label.size()));
    shapes.push_back(std::move(label[0]));
  }
  const std::int64_t samples = given.integer("sample_size");
  if (samples < 1) throw config_error(component, fmt::format("sample_size: expected at least 1, got {}", samples));
  return std::make_unique<DummyV2>(static_cast<std::size_t>(samples), with_values(component, std::move(shapes)),
                                   labelled, fmt::format("dummy_v2({})", given.describe()));
}

}  // namespace

DatasetKind dummy_v2_dataset() {
  return {{.name = "dummy_v2",
           .summary = "random inputs and labels, to test a model without data",
           .parameters =
               {{.name = "input_shape",
                 .kind = ValueKind::TextList,
                 .required = true,
                 .summary = "shape of one sample; for several inputs: 3x32x32, 10x5"},
                {.name = "label_shape",
                 .kind = ValueKind::TextList,
                 .summary = "shape of one label; without it there are no labels"},
                {.name = "low",
                 .kind = ValueKind::NumberList,
                 .default_value = "-128",
                 .summary = "lower bound of the values: one number, or one for each input and the label"},
                {.name = "high",
                 .kind = ValueKind::NumberList,
                 .default_value = "127",
                 .summary = "upper bound of the values, exclusive for integers"},
                {.name = "dtype", .kind = ValueKind::TextList, .default_value = "float32", .summary = "element type"},
                {.name = "sample_size",
                 .kind = ValueKind::Integer,
                 .default_value = "1000",
                 .summary = "number of samples"}}},
          make_dummy_v2};
}

}  // namespace lpot
