#include "lpot/quantize/noise.h"

#include <cmath>

#include "lpot/calibrate/observe.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/quantize.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

constexpr std::size_t kWidth = 64;

// A matrix product with an input whose first channel is `outlier` times larger than the others.
struct Case {
  Model model;
  Tensor input;
};

Case product_of(float outlier) {
  const auto x = parameter({-1, kWidth}, "x");
  const auto weights = random_constant({kWidth, kWidth}, 3);
  const auto y = named(std::make_shared<op::MatMul>(x, weights, false, false), "product");
  Tensor input = random_tensor({200, kWidth}, 7);
  for (std::size_t row = 0; row < 200; ++row) input.data<float>()[row * kWidth] *= outlier;
  return {as_model({y}, {x}), input};
}

Plan int8_plan() {
  Plan plan;
  plan.ops["product"] = {Precision::Int8,
                         {Algorithm::MinMax, Granularity::PerTensor, Symmetry::Asymmetric, 8},
                         {Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 7}};
  return plan;
}

Statistics observed(const Case& tested) {
  std::vector<Tensor> rows;
  for (std::size_t row = 0; row < 200; ++row) rows.push_back(tested.input.slice(row));
  return observe(tested.model, observation_points(tested.model), loader_of(unlabelled(rows)), {.sampling_sizes = {200}})
      .snapshots.back();
}

double measured_noise(const Case& tested, const Statistics& statistics) {
  const auto exact = run_plainly(tested.model.graph, {tested.input})[0];
  const auto found = run_plainly(quantize(tested.model, int8_plan(), statistics).graph, {tested.input})[0];
  double noise = 0, signal = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    noise += std::pow(static_cast<double>(found[i] - exact[i]), 2);
    signal += std::pow(static_cast<double>(exact[i]), 2);
  }
  return noise / signal;
}

TEST(ExpectedNoise, IsWithinAFactorOfTwoOfTheMeasuredNoise) {
  for (const float outlier : {1.0f, 10.0f, 100.0f}) {
    const Case tested = product_of(outlier);
    const Statistics statistics = observed(tested);
    const double expected = expected_noise(tested.model, int8_plan(), statistics).at("product");
    const double measured = measured_noise(tested, statistics);
    EXPECT_LT(expected, 2 * measured) << outlier;
    EXPECT_GT(expected, measured / 2) << outlier;
  }
}

TEST(ExpectedNoise, ContainsOnlyTheInt8OpsOfThePlan) {
  const Case tested = product_of(1);
  Plan plan;
  plan.ops["product"] = {};
  EXPECT_TRUE(expected_noise(tested.model, plan, observed(tested)).empty());
}

}  // namespace
}  // namespace lpot
