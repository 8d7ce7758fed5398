#include "lpot/plan/plan.h"

#include "lpot/core/error.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

const TensorScheme kActivation{Algorithm::Kl, Granularity::PerTensor, Symmetry::Asymmetric, 8};
const TensorScheme kWeight{Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 7};

Plan sample_plan() {
  Plan plan;
  plan.ops["/conv \"1\""] = {Precision::Int8, kActivation, kWeight};
  plan.ops["conv2"] = {Precision::Fp32, {}, {}};
  plan.ops["conv3"] = {Precision::Int8, {}, {Algorithm::MinMax, Granularity::PerTensor, Symmetry::Symmetric, 8}};
  plan.sampling_size = 500;
  return plan;
}

TEST(Plan, IsReadBackFromItsJson) { EXPECT_EQ(plan_from_json(to_json(sample_plan())), sample_plan()); }

// Stores and deploy files contain this JSON and hashes of it, so it must not change.
TEST(Plan, HasStableJson) {
  Plan plan = sample_plan();
  plan.ops["conv3"].variant = KernelVariant::Convolution;
  plan.ops["conv4"] = {.precision = Precision::Int8, .weight = kWeight, .weights_only = true};
  plan.recipes.set("bias_correction", true);
  EXPECT_EQ(
      to_json(plan),
      R"({"ops":{"/conv \"1\"":{"activation":{"algorithm":"kl","granularity":"per_tensor","scheme":"asym"},)"
      R"("precision":"int8","weight":{"algorithm":"minmax","bits":7,"granularity":"per_channel","scheme":"sym"}},)"
      R"("conv2":{"precision":"fp32"},)"
      R"("conv3":{"activation":{"algorithm":"minmax","granularity":"per_tensor","scheme":"asym"},"form":"convolution",)"
      R"("precision":"int8","weight":{"algorithm":"minmax","granularity":"per_tensor","scheme":"sym"}},)"
      R"("conv4":{"precision":"int8","weight":{"algorithm":"minmax","bits":7,"granularity":"per_channel",)"
      R"("scheme":"sym"},"weights_only":true}},"recipes":{"bias_correction":true},"sampling_size":500})");
  EXPECT_EQ(to_json(Plan{}), R"({"ops":{}})");
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
}

TEST(Plan, UsesTheLastOfEqualKeysAndReadsOpsOnlyFromOps) {
  const Plan plan = plan_from_json(
      R"({"ops":{"old":{"precision":"fp32"}},"more":{"other":{"precision":"fp32"}},"ops":{"b":1,"a":{"precision":"fp32"},)"
      R"("a":{"precision":"fp32"},"b":{"precision":"fp32"}}})");
  EXPECT_EQ(plan.fallback(), (std::vector<std::string>{"a", "b"}));
}

TEST(Plan, ListsFallbackOps) {
  EXPECT_THAT(sample_plan().fallback(), ::testing::ElementsAre("conv2"));
  EXPECT_EQ(sample_plan().int8_count(), 2u);
}

TEST(Plan, IgnoresTheSchemesOfFp32Ops) {
  Plan other = sample_plan();
  other.ops["conv2"].weight = kWeight;
  EXPECT_EQ(other, sample_plan());
  EXPECT_EQ(to_json(other), to_json(sample_plan()));
  EXPECT_EQ(plan_hash(other), plan_hash(sample_plan()));
}

TEST(Plan, HasDifferentJsonAndHashForEveryPartOfItsSchemes) {
  const std::vector<std::function<void(Plan&)>> changes{
      [](Plan& plan) { plan.sampling_size = 100; },
      [](Plan& plan) { plan.ops["conv3"].precision = Precision::Fp32; },
      [](Plan& plan) { plan.ops["conv3"].activation.algorithm = Algorithm::Kl; },
      [](Plan& plan) { plan.ops["conv3"].activation.symmetry = Symmetry::Symmetric; },
      [](Plan& plan) { plan.ops["conv3"].weight.granularity = Granularity::PerChannel; },
      [](Plan& plan) { plan.ops["conv3"].weight.bits = 7; },
      [](Plan& plan) { plan.ops.erase("conv3"); },
      [](Plan& plan) { plan.ops["conv4"] = {}; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Plan changed = sample_plan();
    changes[i](changed);
    EXPECT_FALSE(changed == sample_plan()) << i;
    EXPECT_NE(plan_hash(changed), plan_hash(sample_plan())) << i;
    EXPECT_EQ(plan_from_json(to_json(changed)), changed) << i;
  }
}

TEST(Plan, StoresTheInferencePrecisionOnlyIfItIsNotF32) {
  Plan plan;
  plan.ops["conv"] = {.precision = Precision::Bf16};
  plan.ops["fc"] = {.precision = Precision::Fp32};
  const std::string in_f32 = to_json(plan);
  EXPECT_THAT(in_f32, ::testing::Not(HasSubstr("inference_precision")));
  plan.inference_precision = InferencePrecision::Bf16;
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  EXPECT_NE(plan_from_json(in_f32), plan);
  EXPECT_THAT(plan.fallback(), ::testing::ElementsAre("conv", "fc"));
}

class DamagedPlan : public ::testing::TestWithParam<const char*> {};

TEST_P(DamagedPlan, IsAStoreError) { EXPECT_THROW(plan_from_json(GetParam()), StoreError); }

INSTANTIATE_TEST_SUITE_P(
    Texts, DamagedPlan,
    ::testing::Values("", "{", "[]", "{}", "null", R"({"ops": null})", R"({"ops": []})", R"({"ops": "conv"})",
                      R"({"ops": {"conv": 1}})", R"({"ops": {"conv": {}}})",
                      R"({"ops": {"conv": {"precision": "int7"}}})", R"({"ops": {"conv": {"precision": "int8"}}})",
                      R"({"ops": {"conv": {"precision": "uint8"}}})", R"({"inference_precision": "int4", "ops": {}})",
                      R"({"ops": {}, "sampling_size": "many"})",
                      R"({"ops": {"conv": {"precision": "int8", "activation": {"algorithm": "guess",
                          "granularity": "per_tensor", "scheme": "asym"}, "weight": {}}}})"));

TEST(Plan, NamesTheInvalidValueInTheError) {
  EXPECT_THAT(message_of<StoreError>([] { plan_from_json(R"({"ops": {"conv": {"precision": "int7"}}})"); }),
              HasSubstr("'int7' is not a valid precision"));
}

TEST(Plan, RejectsTruncatedJson) {
  const std::string text = to_json(sample_plan());
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_THROW(plan_from_json(text.substr(0, length)), StoreError) << length;
}

}  // namespace
}  // namespace lpot
