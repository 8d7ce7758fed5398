#include "lpot/plan/recipes.h"

#include "lpot/core/error.h"
#include "lpot/plan/plan.h"
#include "tests/support/files.h"
#include "tests/support/recipes.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const RecipeDeclaration& declared(const std::string& name) { return *find(kDeclaredRecipes, name); }

TEST(Recipes, HoldTypedValues) {
  Recipes recipes;
  recipes.set("smooth_quant", true);
  recipes.set("smooth_quant_alpha", 0.5);
  recipes.set("run_time_groups", 32);
  EXPECT_TRUE(recipes.flag("smooth_quant"));
  EXPECT_EQ(recipes.number("smooth_quant_alpha"), 0.5);
  EXPECT_EQ(recipes.integer("run_time_groups"), 32);
}

TEST(Recipes, ReturnTheDefaultOfARecipeThatIsNotSet) {
  const Recipes none;
  EXPECT_FALSE(none.flag("smooth_quant"));
  EXPECT_TRUE(none.flag("through_concat", true));
  EXPECT_EQ(none.integer("run_time_groups"), 0);
  EXPECT_EQ(none.number("smooth_quant_alpha"), std::nullopt);
  EXPECT_EQ(value_of(none, declared("through_concat")), RecipeValue(true));
  EXPECT_EQ(value_of(none, declared("smooth_quant_alpha")), std::nullopt);
}

TEST(Recipes, DoNotStoreDefaultsSoThatEqualRecipesCompareEqual) {
  Recipes recipes;
  recipes.set(declared("smooth_quant"), true);
  recipes.set(declared("through_concat"), false);
  EXPECT_EQ(to_json(recipes), R"({"smooth_quant":true,"through_concat":false})");
  recipes.set(declared("smooth_quant"), false);
  recipes.set(declared("through_concat"), true);
  recipes.set(declared("run_time_groups"), std::int64_t{0});
  EXPECT_TRUE(recipes.empty());
  EXPECT_EQ(recipes, Recipes{});
}

TEST(Recipes, AcceptAnIntegerForANumberAndRejectOtherTypes) {
  Recipes recipes;
  recipes.set(declared("smooth_quant_alpha"), 1);
  EXPECT_EQ(to_json(recipes), R"({"smooth_quant_alpha":1.0})");
  EXPECT_THAT(message_of<ConfigError>([&] { recipes.set(declared("smooth_quant_alpha"), true); }),
              HasSubstr("recipe 'smooth_quant_alpha' is true; expected a number"));
  EXPECT_THAT(message_of<ConfigError>([&] { recipes.set(declared("smooth_quant"), 1); }),
              HasSubstr("recipe 'smooth_quant' is 1; expected true or false"));
  EXPECT_THAT(message_of<StoreError>([&] { recipes.flag("smooth_quant_alpha"); }), HasSubstr("smooth_quant_alpha"));
}

TEST(Recipes, AreOnDependingOnTheirType) {
  Recipes recipes;
  EXPECT_FALSE(is_on(recipes, declared("smooth_quant")));
  EXPECT_FALSE(is_on(recipes, declared("smooth_quant_alpha")));
  EXPECT_FALSE(is_on(recipes, declared("run_time_groups")));
  EXPECT_TRUE(is_on(recipes, declared("through_concat")));
  recipes.set("smooth_quant_alpha", 0.0);
  recipes.set("run_time_groups", 32);
  recipes.set("through_concat", false);
  EXPECT_TRUE(is_on(recipes, declared("smooth_quant_alpha")));
  EXPECT_TRUE(is_on(recipes, declared("run_time_groups")));
  EXPECT_FALSE(is_on(recipes, declared("through_concat")));
}

TEST(Recipes, ShareStatisticsIfTheirRescalingPartsAreEqual) {
  Recipes plain, equalized;
  plain.set("bias_correction", true);
  equalized.set("cross_layer_equalization", true);
  equalized.set("weight_correction", true);
  EXPECT_TRUE(rescaling_part(plain, kDeclaredRecipes).empty());
  EXPECT_LT(rescaling_part(plain, kDeclaredRecipes), rescaling_part(equalized, kDeclaredRecipes))
      << "must be usable as keys of a map";
  EXPECT_EQ(to_json(rescaling_part(equalized, kDeclaredRecipes)), R"({"cross_layer_equalization":true})");
}

TEST(Recipes, AreCheckedAgainstTheirDeclarations) {
  Recipes recipes = recipes_from_json(std::string(R"({"smooth_quant":true,"smooth_quant_alpha":1})"));
  EXPECT_NO_THROW(check_recipes(recipes, kDeclaredRecipes));
  recipes.set("smooth_quant", 1);
  EXPECT_THAT(message_of<StoreError>([&] { check_recipes(recipes, kDeclaredRecipes); }),
              HasSubstr("recipe 'smooth_quant' is 1; expected true or false"));
  recipes.set("smooth_quant", true);
  recipes.set("from_the_future", true);
  EXPECT_THAT(message_of<StoreError>([&] { check_recipes(recipes, kDeclaredRecipes); }),
              AllOf(HasSubstr("'from_the_future'"), HasSubstr("newer version of lpot")));
}

TEST(Recipes, AreDescribedByTheirLabelsAndValues) {
  Recipes recipes;
  recipes.set("smooth_quant", true);
  recipes.set("smooth_quant_alpha", 0.5);
  recipes.set("run_time_groups", 32);
  RecipeDeclarations declarations = kDeclaredRecipes;
  for (RecipeDeclaration& recipe : declarations)
    recipe.label = recipe.name == "through_concat" ? "" : "label of " + recipe.name;
  EXPECT_THAT(describe_recipes(recipes, declarations),
              ::testing::ElementsAre("label of smooth_quant", "label of smooth_quant_alpha: 0.5",
                                     "label of through_max_pooling", "label of run_time_groups: 32"))
      << "through_concat has no label";
}

// A plan with every recipe as lpot 0.1 wrote it.
TEST(Recipes, OfVersion01AreReadAndWrittenTheSame) {
  const std::string text =
      R"({"ops":{"conv1":{"activation":{"algorithm":"minmax","granularity":"per_tensor","scheme":"asym"},)"
      R"("precision":"int8","weight":{"algorithm":"minmax","granularity":"per_channel","scheme":"sym"}}},)"
      R"("recipes":{"bias_correction":true,"cross_layer_equalization":true,"int8_tables":true,"residual_sums":true,)"
      R"("run_time_groups":32,"smooth_quant":true,"smooth_quant_alpha":0.1,"through_concat":false,)"
      R"("through_max_pooling":false,"weight_correction":true},"sampling_size":500})";
  const Plan plan = plan_from_json(text);
  EXPECT_EQ(to_json(plan), text);
  EXPECT_EQ(plan.recipes.all().size(), 10u);
  EXPECT_NO_THROW(check_recipes(plan.recipes, kDeclaredRecipes));
  EXPECT_EQ(plan.recipes.number("smooth_quant_alpha"), 0.1);
  EXPECT_FALSE(plan.recipes.flag("through_concat", true));
}

class DamagedRecipes : public ::testing::TestWithParam<const char*> {};

TEST_P(DamagedRecipes, AreAStoreError) {
  EXPECT_THROW(recipes_from_json(std::string(GetParam())), StoreError);
  EXPECT_THROW(plan_from_json(std::string(R"({"ops":{},"recipes":)") + GetParam() + "}"), StoreError);
}

INSTANTIATE_TEST_SUITE_P(Texts, DamagedRecipes,
                         ::testing::Values("{", "[]", "1", "null", R"({"smooth_quant":null})",
                                           R"({"smooth_quant":"true"})", R"({"smooth_quant":[true]})",
                                           R"({"smooth_quant_alpha":1e999})"));

}  // namespace
}  // namespace lpot
