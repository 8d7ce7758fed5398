#include "lpot/quantize/range_choice.h"

#include <gmock/gmock.h>

#include "lpot/calibrate/observe.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"
#include "tests/support/recipes.h"

namespace lpot {
namespace {

constexpr std::size_t kInputChannels = 64;

// Matrix products that read the same input. Channel 0 of the input has rare values that are `kOutlierScale` times
// larger than the others. Each product has a factor for the weights of that channel.
constexpr float kOutlierScale = 40;

Model products_of_one_input(const std::vector<float>& outlier_weights) {
  const auto x = parameter({-1, kInputChannels}, "x");
  ov::OutputVector outputs;
  for (std::size_t k = 0; k < outlier_weights.size(); ++k) {
    const Tensor random = random_tensor({kInputChannels, kInputChannels}, 3 + static_cast<unsigned>(k));
    std::vector<float> weights(random.data<float>(), random.data<float>() + random.size());
    for (std::size_t i = 0; i < kInputChannels; ++i) weights[i] *= outlier_weights[k];  // row 0 reads channel 0
    const auto constant_weights = constant({kInputChannels, kInputChannels}, weights);
    outputs.push_back(
        named(std::make_shared<op::MatMul>(x, constant_weights, false, false), "product" + std::to_string(k)));
  }
  return as_model(outputs, {x});
}

std::map<std::string, Algorithm> estimators_for(const Model& model, const QuantizationConfig& config = {}) {
  std::vector<Tensor> rows;
  Tensor input = random_tensor({400, kInputChannels}, 7);
  for (std::size_t row = 0; row < 400; ++row) {
    if (row % 20 == 0) input.data<float>()[row * kInputChannels] *= kOutlierScale;
    rows.push_back(input.slice(row));
  }
  const Statistics statistics =
      observe(model, observation_points(model), loader_of(unlabelled(rows)), {.sampling_sizes = {400}})
          .snapshots.back();
  const PlanChoices choices = allowed_choices(quantizable_ops(model), config, kDeclaredRecipes, false).value;
  return least_error_estimators(model, choices, statistics);
}

TEST(RangeChoice, ClipsOutliersOfAChannelWithoutWeight) {
  EXPECT_NE(estimators_for(products_of_one_input({0.0f})).at("product0"), Algorithm::MinMax);
}

TEST(RangeChoice, KeepsOutliersOfAChannelWithLargeWeights) {
  EXPECT_EQ(estimators_for(products_of_one_input({30.0f})).at("product0"), Algorithm::MinMax);
}

TEST(RangeChoice, IsTheSameForAllReadersOfATensor) {
  // Alone, the two products differ (see above).
  const auto chosen = estimators_for(products_of_one_input({0.0f, 30.0f}));
  EXPECT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen.at("product0"), chosen.at("product1"));
}

TEST(RangeChoice, UsesOnlyEstimatorsThatTheConfigurationAllows) {
  QuantizationConfig config;
  config.model_wise.activation.algorithms = {Algorithm::Kl};
  EXPECT_EQ(estimators_for(products_of_one_input({30.0f}), config).at("product0"), Algorithm::Kl);
}

TEST(RangeChoice, LeavesOutOpsThatAreNeverInt8) {
  QuantizationConfig config;
  config.model_wise.activation.precisions = config.model_wise.weight.precisions = {Precision::Fp32};
  EXPECT_THAT(estimators_for(products_of_one_input({1.0f}), config), testing::IsEmpty());
}

}  // namespace
}  // namespace lpot
