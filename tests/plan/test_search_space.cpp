#include "lpot/plan/search_space.h"

#include <algorithm>

#include "lpot/core/error.h"
#include "tests/support/files.h"
#include "tests/support/recipes.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<QuantizableOp> kOps{{"/stem/conv", "Convolution", "image", {0}},
                                      {"/block/conv1", "Convolution", "a", {0}},
                                      {"/block/conv2", "GroupConvolution", "b", {0, 1}},
                                      {"fc", "MatMul", "c", {1}}};

struct ChoicesAndWarnings {
  PlanChoices space;
  std::vector<std::string> warnings;
};

ChoicesAndWarnings choices_for(const QuantizationConfig& config, bool half_range = false) {
  auto allowed = allowed_choices(kOps, config, kDeclaredRecipes, half_range);
  return {std::move(allowed.value), std::move(allowed.warnings)};
}

QuantizationConfig op_wise(const std::vector<std::pair<std::string, OpRestriction>>& entries) {
  QuantizationConfig config;
  config.op_wise = entries;
  return config;
}

OpRestriction fp32() {
  OpRestriction restriction;
  restriction.activation.precisions = restriction.weight.precisions = {Precision::Fp32};
  restriction.place = {"net.yaml", 14};
  return restriction;
}

PlanChoices choices_in_bf16(const QuantizationConfig& config) {
  return allowed_choices(kOps, config, kDeclaredRecipes, false, InferencePrecision::Bf16).value;
}

OpRestriction dtypes(const std::vector<Precision>& precisions) {
  OpRestriction restriction;
  restriction.activation.precisions = restriction.weight.precisions = precisions;
  restriction.place = {"net.yaml", 14};
  return restriction;
}

TEST(SearchSpaceInBf16, OpsFallBackToBf16) {
  const PlanChoices choices = choices_in_bf16({});
  for (const OpSpace& op : choices.ops) {
    EXPECT_EQ(op.choices.size(), 9u);
    EXPECT_EQ(op.choices.back().precision, Precision::Bf16);
    EXPECT_TRUE(op.can_fall_back());
  }
  const Plan plan = choices.plan(choices.model_choices.front(), {"fc"});
  EXPECT_EQ(plan.inference_precision, InferencePrecision::Bf16);
  EXPECT_EQ(plan.ops.at("fc").precision, Precision::Bf16);
  EXPECT_THAT(plan.fallback(), ElementsAre("fc"));
  EXPECT_TRUE(choices.contains(plan));
}

TEST(SearchSpaceInBf16, AnOpThatMayOnlyBeFp32StaysInF32) {
  const PlanChoices choices = choices_in_bf16(op_wise({{"fc", dtypes({Precision::Fp32})}}));
  EXPECT_EQ(first_plan(choices).ops.at("fc").precision, Precision::Fp32);
}

TEST(SearchSpaceInBf16, AnOpThatMayBeInt8OrFp32FallsBackToF32InTheFinalPlan) {
  const PlanChoices choices =
      choices_in_bf16(op_wise({{"fc", dtypes({Precision::Int8, Precision::Uint8, Precision::Fp32})}}));
  EXPECT_THAT(choices.f32_ops, ElementsAre("fc"));
  const Plan int8 = first_plan(choices);
  EXPECT_TRUE(with_f32_ops(int8, choices).ops.at("fc").is_int8());
  const Plan fallback = choices.plan(choices.model_choices.front(), {"fc", "/stem/conv"});
  EXPECT_TRUE(choices.contains(fallback));
  EXPECT_EQ(with_f32_ops(fallback, choices).ops.at("fc").precision, Precision::Fp32);
  EXPECT_EQ(with_f32_ops(fallback, choices).ops.at("/stem/conv").precision, Precision::Bf16);
}

TEST(SearchSpaceInBf16, TheModelWithoutInt8KeepsTheOpsInF32ThatTheConfigurationNames) {
  const PlanChoices choices =
      choices_in_bf16(op_wise({{"fc", dtypes({Precision::Fp32})},
                               {"/stem/conv", dtypes({Precision::Int8, Precision::Uint8, Precision::Fp32})}}));
  const Plan plan = with_f32_ops(unquantized_plan(choices), choices);
  EXPECT_EQ(plan.ops.at("fc").precision, Precision::Fp32);
  EXPECT_EQ(plan.ops.at("/stem/conv").precision, Precision::Fp32);
  EXPECT_EQ(plan.ops.at("/block/conv1").precision, Precision::Bf16);
  EXPECT_TRUE(may_be_unquantized(choices));
}

TEST(SearchSpaceInBf16, TheModelWithoutInt8IsNotAllowedIfAnOpMustBeInt8) {
  EXPECT_FALSE(may_be_unquantized(choices_in_bf16(op_wise({{"fc", dtypes({Precision::Int8, Precision::Uint8})}}))));
}

TEST(SearchSpaceInBf16, AModelThatMayOnlyBeBf16HasOnePlan) {
  QuantizationConfig config;
  config.model_wise = dtypes({Precision::Bf16});
  const Plan plan = first_plan(choices_in_bf16(config));
  EXPECT_EQ(plan.int8_count(), 0u);
  EXPECT_EQ(plan.ops.at("fc").precision, Precision::Bf16);
  EXPECT_EQ(plan, unquantized_plan(choices_in_bf16(config)));
}

TEST(SearchSpaceInF32, Bf16MeansFp32) {
  const PlanChoices choices = choices_for(op_wise({{"fc", dtypes({Precision::Bf16})}})).space;
  EXPECT_EQ(first_plan(choices).ops.at("fc").precision, Precision::Fp32);
}

TEST(SearchSpaceInF32, IsReachedFromTheChoicesInBf16) {
  const PlanChoices f32 = in_f32(choices_in_bf16(op_wise({{"fc", dtypes({Precision::Int8, Precision::Fp32})}})));
  const PlanChoices expected = choices_for(op_wise({{"fc", dtypes({Precision::Int8, Precision::Fp32})}})).space;
  EXPECT_EQ(first_plan(f32), first_plan(expected));
  ASSERT_EQ(f32.ops.size(), expected.ops.size());
  for (std::size_t i = 0; i < f32.ops.size(); ++i) EXPECT_EQ(f32.ops[i].choices, expected.ops[i].choices);
  EXPECT_TRUE(f32.f32_ops.empty());
}

// Names of the ops whose only choice is fp32.
std::vector<std::string> forced_to_fp32(const PlanChoices& space) {
  std::vector<std::string> names;
  for (const OpSpace& op : space.ops)
    if (op.choices.size() == 1 && op.choices[0].precision == Precision::Fp32) names.push_back(op.name);
  return names;
}

TEST(SearchSpace, OffersEveryOpPerChannelAsymmetricMinMaxFirstAndFp32Last) {
  for (const OpSpace& op : choices_for({}).space.ops) {
    EXPECT_EQ(op.choices.size(), 9u);  // 2 granularities, 2 symmetries, 2 algorithms, and fp32
    EXPECT_EQ(op.choices[0].weight.granularity, Granularity::PerChannel);
    EXPECT_EQ(op.choices[0].activation.symmetry, Symmetry::Asymmetric);
    EXPECT_EQ(op.choices[0].activation.algorithm, Algorithm::MinMax);
    EXPECT_TRUE(op.can_fall_back());
  }
}

TEST(SearchSpace, AppliesHalfRangeOnlyToWeights) {
  for (const OpPlan& choice : choices_for({}, true).space.model_choices) {
    EXPECT_EQ(choice.weight.bits, 7);
    EXPECT_EQ(choice.activation.bits, 8);
  }
}

TEST(SearchSpace, ContainsOnlyTheChoicesThatModelWiseAllows) {
  QuantizationConfig config;
  config.model_wise.activation.algorithms = {Algorithm::Kl};
  config.model_wise.weight.granularities = {Granularity::PerTensor};
  config.model_wise.activation.precisions = {Precision::Uint8};
  const PlanChoices space = choices_for(config).space;
  ASSERT_EQ(space.model_choices.size(), 1u);
  EXPECT_EQ(space.model_choices[0].activation,
            (TensorScheme{Algorithm::Kl, Granularity::PerTensor, Symmetry::Asymmetric, 8}));
  EXPECT_EQ(space.model_choices[0].weight.granularity, Granularity::PerTensor);
  EXPECT_FALSE(space.ops[0].can_fall_back());
}

TEST(SearchSpace, ReadsInt8ActivationsAsSymmetric) {
  QuantizationConfig config;
  config.model_wise.activation.precisions = {Precision::Int8, Precision::Fp32};
  for (const OpPlan& choice : choices_for(config).space.model_choices)
    EXPECT_EQ(choice.activation.symmetry, Symmetry::Symmetric);
}

TEST(SearchSpace, AcceptsBoth8BitTypesIfTheSchemeIsNamed) {
  for (const Precision type : {Precision::Int8, Precision::Uint8})
    for (const Symmetry symmetry : {Symmetry::Asymmetric, Symmetry::Symmetric}) {
      QuantizationConfig config;
      config.model_wise.activation.precisions = {type, Precision::Fp32};
      config.model_wise.activation.symmetries = {symmetry};
      const PlanChoices space = choices_for(config).space;
      ASSERT_FALSE(space.model_choices.empty());
      EXPECT_EQ(space.model_choices[0].activation.symmetry, symmetry);
    }
}

TEST(SearchSpace, IgnoresSettingsWithoutAKernelAndWarns) {
  QuantizationConfig config = op_wise({{"fc", {}}});
  config.model_wise.weight.symmetries = {Symmetry::Asymmetric};
  config.op_wise[0].second.activation.granularities = {Granularity::PerChannel};
  const ChoicesAndWarnings result = choices_for(config);
  EXPECT_EQ(result.space.ops[0].choices.size(), 9u);
  EXPECT_EQ(result.space.ops[3].choices.size(), 9u);
  EXPECT_THAT(
      result.warnings,
      ElementsAre(HasSubstr("quantization.model_wise.weight.scheme: ignored because int8 weights are always sym"),
                  HasSubstr("quantization.op_wise.fc.activation.granularity")));
}

TEST(SearchSpace, UsesFp32WhereOpWiseRequiresIt) {
  EXPECT_THAT(forced_to_fp32(choices_for(op_wise({{"fc", fp32()}})).space), ElementsAre("fc"));
}

TEST(SearchSpace, PrefersAnExactNameToAPattern) {
  // As a pattern this would match every op.
  std::vector<QuantizableOp> ops = kOps;
  ops[3].name = ".*";
  EXPECT_THAT(forced_to_fp32(allowed_choices(ops, op_wise({{".*", fp32()}}), kDeclaredRecipes, false).value),
              ElementsAre(".*"));
}

TEST(SearchSpace, MatchesPatternsAgainstWholeNames) {
  EXPECT_THAT(forced_to_fp32(choices_for(op_wise({{"/block/conv.", fp32()}})).space),
              ElementsAre("/block/conv1", "/block/conv2"));
  EXPECT_THROW(choices_for(op_wise({{"/block", fp32()}})), ConfigError);
}

TEST(SearchSpace, PrefersAPatternToAType) {
  std::vector<QuantizableOp> ops = kOps;
  ops[3] = {"MatMul", "Convolution", "c", {0}};  // named as a type, of another type
  const auto allowed = allowed_choices(ops, op_wise({{"Mat.*", fp32()}}), kDeclaredRecipes, false);
  EXPECT_THAT(forced_to_fp32(allowed.value), ElementsAre("MatMul"));
  EXPECT_TRUE(allowed.warnings.empty());
}

TEST(SearchSpace, AcceptsATypeAsKeyAndWarns) {
  const ChoicesAndWarnings result = choices_for(op_wise({{"Convolution", fp32()}}));
  EXPECT_THAT(forced_to_fp32(result.space), ElementsAre("/stem/conv", "/block/conv1"));
  EXPECT_THAT(result.warnings,
              ElementsAre(AllOf(HasSubstr("net.yaml:14"), HasSubstr("'Convolution'"), HasSubstr("2 ops"))));
}

TEST(SearchSpace, SuggestsTheMostSimilarOpForAKeyWithoutAMatch) {
  EXPECT_THAT(message_of<ConfigError>([] {
                choices_for(op_wise({{"/stem/conf", fp32()}}));
              }),
              AllOf(HasSubstr("net.yaml:14"), HasSubstr("'/stem/conf' matches no op of this model"),
                    HasSubstr("did you mean '/stem/conv'?")));
}

TEST(SearchSpace, RejectsAnInvalidRegularExpression) {
  EXPECT_THAT(message_of<ConfigError>([] {
                choices_for(op_wise({{"/stem/conv[", fp32()}}));
              }),
              AllOf(HasSubstr("net.yaml:14"), HasSubstr("/stem/conv["), HasSubstr("regular expression")));
}

TEST(SearchSpace, RejectsRestrictionsThatLeaveNoScheme) {
  QuantizationConfig config;
  config.model_wise.weight.precisions = {Precision::Uint8};
  EXPECT_THAT(message_of<ConfigError>([&] { choices_for(config); }),
              AllOf(HasSubstr("quantization.model_wise: no scheme is left for op '/stem/conv' (Convolution)")));

  OpRestriction contradiction;  // fp32 weights with int8 activations
  contradiction.weight.precisions = {Precision::Fp32};
  contradiction.activation.precisions = {Precision::Int8};
  contradiction.place = {"net.yaml", 20};
  EXPECT_THAT(message_of<ConfigError>([&] {
                choices_for(op_wise({{"fc", contradiction}}));
              }),
              AllOf(HasSubstr("net.yaml:20"), HasSubstr("'fc'")));
}

TEST(SearchSpace, LeavesTheFirstOpInFp32IfConfigured) {
  QuantizationConfig config;
  config.recipes.first_conv_or_matmul_quantization = false;
  EXPECT_THAT(forced_to_fp32(choices_for(config).space), ElementsAre("/stem/conv"));
}

TEST(SearchSpacePlan, AssignsTheChoiceToEveryOpExceptFallbackOps) {
  const PlanChoices space = choices_for({}).space;
  const OpPlan choice = space.model_choices[3];
  const Plan plan = space.plan(choice, {"/block/conv2", "fc"});
  EXPECT_THAT(plan.fallback(), ElementsAre("/block/conv2", "fc"));
  EXPECT_EQ(plan.ops.at("/stem/conv"), choice);
  EXPECT_TRUE(space.contains(plan));
}

TEST(SearchSpacePlan, UsesTheMostSimilarChoiceIfTheChoiceIsNotAllowed) {
  OpRestriction kl_only;
  kl_only.activation.algorithms = {Algorithm::Kl};
  const PlanChoices space = choices_for(op_wise({{"fc", kl_only}})).space;
  OpPlan choice = space.model_choices.front();
  choice.weight.granularity = Granularity::PerTensor;
  const Plan plan = space.plan(choice);
  EXPECT_EQ(plan.ops.at("fc").activation.algorithm, Algorithm::Kl);
  EXPECT_EQ(plan.ops.at("fc").weight.granularity, Granularity::PerTensor);
  EXPECT_EQ(plan.ops.at("fc").activation.symmetry, Symmetry::Asymmetric);
  EXPECT_TRUE(space.contains(plan));
}

TEST(SearchSpacePlan, KeepsAnOpInInt8IfFp32IsNotAllowed) {
  OpRestriction int8_only;
  int8_only.weight.precisions = {Precision::Int8};
  const PlanChoices space = choices_for(op_wise({{"fc", int8_only}})).space;
  EXPECT_TRUE(space.plan(space.model_choices.front(), {"fc"}).fallback().empty());
}

TEST(SearchSpace, DoesNotContainThePlanOfAnotherModel) {
  const PlanChoices space = choices_for({}).space;
  Plan plan = space.plan(space.model_choices.front());
  plan.ops.erase("fc");
  plan.ops["other"] = space.model_choices.front();
  EXPECT_FALSE(space.contains(plan));
}

// The recipes of a space as JSON, in order of preference.
std::vector<std::string> recipes_of(const QuantizationConfig& config) {
  std::vector<std::string> texts;
  for (const Recipes& recipes : choices_for(config).space.recipes) texts.push_back(to_json(recipes));
  return texts;
}

TEST(SearchSpaceRecipes, HasAllCombinationsOfAlternatives) {
  EXPECT_THAT(recipes_of({}),
              ElementsAre(R"({"int8_tables":true,"residual_sums":true,"smooth_quant":true})",
                          R"({"bias_correction":true,"int8_tables":true,"residual_sums":true,"smooth_quant":true})",
                          R"({"int8_tables":true,"residual_sums":true,"smooth_quant":true,"weight_correction":true})",
                          R"({"bias_correction":true,"int8_tables":true,"residual_sums":true,"smooth_quant":true,)"
                          R"("weight_correction":true})"));
}

TEST(SearchSpaceRecipes, OmitsAlternativesThatTheUserSet) {
  QuantizationConfig config;
  config.recipes.values = {{"smooth_quant", false}, {"residual_sums", false}, {"int8_tables", false}};
  config.recipes.values["weight_correction"] = false;
  EXPECT_THAT(recipes_of(config), ElementsAre("{}", R"({"bias_correction":true})"));
  config.recipes.values["bias_correction"] = false;
  EXPECT_THAT(recipes_of(config), ElementsAre("{}"));
  config.recipes.values["through_concat"] = false;
  EXPECT_THAT(recipes_of(config), ElementsAre(R"({"through_concat":false})"));
}

TEST(SearchSpaceRecipes, AcceptsAKeyOfAdvanceForTheRecipe) {
  QuantizationConfig config;
  config.recipes.values = {{"smooth_quant", false}, {"residual_sums", false}, {"int8_tables", false}};
  config.recipes.advance["bias_correction"] = "weight_empirical";
  EXPECT_THAT(recipes_of(config),
              ElementsAre(R"({"bias_correction":true})", R"({"bias_correction":true,"weight_correction":true})"));
}

TEST(SearchSpaceRecipes, DropsTheParameterOfARecipeThatIsOff) {
  QuantizationConfig config;
  config.recipes.values = {{"smooth_quant_alpha", 0.5}, {"residual_sums", false}, {"int8_tables", false}};
  EXPECT_EQ(recipes_of(config)[0], R"({"smooth_quant":true,"smooth_quant_alpha":0.5})");
  config.recipes.values["smooth_quant"] = false;
  EXPECT_EQ(recipes_of(config)[0], "{}");
}

TEST(SearchSpaceRecipes, WarnsAboutRecipesThatNeedRangesWithoutCalibration) {
  QuantizationConfig config;
  config.approach = Approach::DynamicQuantization;
  config.recipes.values = {{"bias_correction", true}, {"cross_layer_equalization", true}, {"weight_correction", true}};
  const ChoicesAndWarnings result = choices_for(config);
  ASSERT_EQ(result.space.recipes.size(), 1u);
  EXPECT_EQ(to_json(result.space.recipes[0]), R"({"int8_tables":true,"weight_correction":true})");
  EXPECT_THAT(result.warnings,
              ElementsAre(HasSubstr("quantization.recipes.fast_bias_correction: ignored because it needs calibrated"),
                          HasSubstr("quantization.recipes.cross_layer_equalization: ignored because it needs")));
}

TEST(SearchSpaceRecipes, RejectsAnUndeclaredRecipe) {
  QuantizationConfig config;
  config.recipes.values["smooth_quand"] = true;
  EXPECT_THAT(message_of<ConfigError>([&] { choices_for(config); }),
              AllOf(HasSubstr("unknown recipe 'smooth_quand'"), HasSubstr("did you mean 'smooth_quant'?")));
}

}  // namespace
}  // namespace lpot
