#include "lpot/tune/auto_config/agreement_metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lpot/model/load.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

DataLoader noise_of(const Shape& shape, std::size_t count) {
  std::vector<Tensor> inputs;
  for (unsigned i = 0; i < count; ++i) inputs.push_back(random_tensor(shape, i));
  return loader_of(unlabelled(inputs));
}

Config chosen_for(const Model& model, const DataLoader& data, Criterion goal = {}) {
  Config config;
  config.accuracy.metrics = {{"Agreement", {}, {}}};
  config.tuning.criterion = goal;
  use_agreement_metric(config, model, data);
  return config;
}

std::vector<std::string> names_of(const std::vector<Component>& components) {
  std::vector<std::string> names;
  for (const Component& component : components) names.push_back(component.name);
  return names;
}

TEST(AgreementMetric, ComparesClasses) {
  const Model model = load_model(LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx");
  const Config config = chosen_for(model, noise_of({1, 28, 28}, 8), {.relative = false, .tolerance = 0.03});
  EXPECT_THAT(names_of(config.accuracy.metrics), ElementsAre("Agreement"));
  EXPECT_THAT(config.accuracy.postprocess, IsEmpty());
  EXPECT_EQ(config.tuning.criterion, (Criterion{.relative = false, .tolerance = 0.03}));
}

TEST(AgreementMetric, ComparesTheBoxesOfADetector) {
  const Model model = load_model(LPOT_SOURCE_DIR "/examples/onnx/object_detection/shapes_yolo.onnx");
  const auto& shape = model.graph->input(0).get_partial_shape();
  Shape sample;
  for (std::size_t i = 1; i < shape.size(); ++i)
    sample.push_back(static_cast<std::size_t>(shape[i].is_static() ? shape[i].get_length() : 128));
  const Config config = chosen_for(model, noise_of(sample, 4));
  EXPECT_THAT(names_of(config.accuracy.metrics), ElementsAre("BoxAgreement"));
  EXPECT_THAT(names_of(config.accuracy.postprocess), ElementsAre("Boxes"));
}

// A score for each cell of 64 x 64 pixels is outside of 0..1, so Boxes cannot read the outputs.
TEST(AgreementMetric, ComparesTheValuesOfAnUnknownDetector) {
  const auto x = parameter({-1, 3, 128, 128}, "x");
  const auto mean = std::make_shared<op::ReduceMean>(x, op::Constant::create(ov::element::i64, {3}, {1, 2, 3}), true);
  const auto number = std::make_shared<op::Squeeze>(mean, op::Constant::create(ov::element::i64, {1}, {3}));
  const Model model = as_model(
      {std::make_shared<op::Add>(number, constant({1, 6, 336}, std::vector<float>(std::size_t{6} * 336, 7)))}, {x});
  const Config config = chosen_for(model, noise_of({3, 128, 128}, 4));
  EXPECT_THAT(names_of(config.accuracy.metrics), ElementsAre("MSE"));
  EXPECT_THAT(config.accuracy.postprocess, IsEmpty());
}

// The goal of other values depends on their variance, because the squared error of the fp32 model is 0.
TEST(AgreementMetric, ComparesTheSquaredDifferenceOfOtherValues) {
  const auto x = parameter({-1, 3, 8, 8}, "x");
  const Model model = as_model({conv3x3(x, 3, 4, "conv", 1)}, {x});
  const Config config = chosen_for(model, noise_of({3, 8, 8}, 16), {.tolerance = 0.02});
  EXPECT_THAT(names_of(config.accuracy.metrics), ElementsAre("MSE"));
  EXPECT_FALSE(config.tuning.criterion.relative);
  EXPECT_GT(config.tuning.criterion.tolerance, 0);
  const Config looser = chosen_for(model, noise_of({3, 8, 8}, 16), {.tolerance = 0.04});
  EXPECT_NEAR(looser.tuning.criterion.tolerance, 2 * config.tuning.criterion.tolerance, 1e-9);
}

}  // namespace
}  // namespace lpot
