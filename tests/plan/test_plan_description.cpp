#include "lpot/plan/plan_description.h"

#include <gtest/gtest.h>

namespace lpot {
namespace {

OpPlan int8_op(Algorithm activation, Symmetry symmetry = Symmetry::Asymmetric) {
  return {.precision = Precision::Int8,
          .activation = {.algorithm = activation, .symmetry = symmetry},
          .weight = {.granularity = Granularity::PerChannel, .symmetry = Symmetry::Symmetric}};
}

TEST(DescribeRanges, NamesTheEstimatorsOfActivationsAndWeights) {
  Plan plan;
  plan.ops = {{"a", int8_op(Algorithm::Kl)}, {"b", int8_op(Algorithm::Kl)}, {"c", {}}};
  EXPECT_EQ(describe_ranges(plan), "activations: kl; weights: minmax per channel");
  EXPECT_EQ(short_label(plan), "kl");
}

TEST(DescribeRanges, CountsTheOpsOfAMixedPlanAndStartsWithTheMostFrequent) {
  Plan plan;
  plan.ops = {{"a", int8_op(Algorithm::MinMax)}, {"b", int8_op(Algorithm::Mse)}, {"c", int8_op(Algorithm::Mse)}};
  EXPECT_EQ(describe_ranges(plan), "activations: mse (2 ops), minmax (1 op); weights: minmax per channel");
  EXPECT_EQ(short_label(plan), "mixed");
}

TEST(DescribeRanges, NamesPropertiesThatAreNotUsual) {
  OpPlan op = int8_op(Algorithm::MinMax, Symmetry::Symmetric);
  op.weight = {Algorithm::Mse, Granularity::PerTensor, Symmetry::Asymmetric};
  Plan plan;
  plan.ops = {{"a", op}};
  EXPECT_EQ(describe_ranges(plan), "activations: minmax symmetric; weights: mse per tensor asymmetric");
  EXPECT_EQ(short_label(plan), "minmax symmetric, weights mse per tensor asymmetric");
}

TEST(DescribeRanges, NamesBitsExceptHalfAndFullRange) {
  Plan plan;
  plan.ops = {{"a", int8_op(Algorithm::MinMax)}};
  plan.ops["a"].weight.bits = 7;
  EXPECT_EQ(describe_ranges(plan), "activations: minmax; weights: minmax per channel");
  plan.ops["a"].weight.bits = 4;
  EXPECT_EQ(describe_ranges(plan), "activations: minmax; weights: minmax per channel 4 bits");
}

TEST(DescribeRanges, ASymmetricOpDoesNotMakeAPlanMixed) {
  Plan plan;
  plan.ops = {{"a", int8_op(Algorithm::Kl)},
              {"b", int8_op(Algorithm::Kl)},
              {"transposed", int8_op(Algorithm::Kl, Symmetry::Symmetric)}};
  EXPECT_EQ(describe_ranges(plan), "activations: kl (2 ops), kl symmetric (1 op); weights: minmax per channel");
  EXPECT_EQ(short_label(plan), "kl");
}

TEST(DescribeRanges, LeavesOutActivationsThatTheRuntimeQuantizes) {
  OpPlan op = int8_op(Algorithm::Kl);
  op.weights_only = true;
  Plan plan;
  plan.ops = {{"a", op}};
  EXPECT_EQ(describe_ranges(plan), "weights: minmax per channel");
  EXPECT_EQ(short_label(plan), "weights minmax");
}

TEST(DescribeRanges, NamesTheCalibrationSamplesThatTheSearchChose) {
  Plan plan;
  plan.ops = {{"a", int8_op(Algorithm::Kl)}};
  plan.sampling_size = 100;
  EXPECT_EQ(describe_ranges(plan), "activations: kl; weights: minmax per channel; 100 calibration samples");
  EXPECT_EQ(short_label(plan), "kl, 100 samples");
}

TEST(DescribeRanges, NamesThePrecisionOfAModelWithoutInt8) {
  Plan plan;
  plan.ops = {{"a", {}}};
  plan.inference_precision = InferencePrecision::Bf16;
  EXPECT_EQ(describe_ranges(plan), "no int8 (bf16)");
  EXPECT_EQ(short_label(plan), "no int8 (bf16)");
}

}  // namespace
}  // namespace lpot
