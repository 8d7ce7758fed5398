// The conformance suite for every recipe of the table.
#include "lpot/quantize/recipes/table.h"

#include <fmt/format.h>

#include <set>
#include <tuple>

#include "lpot/config/describe.h"
#include "lpot/config/load.h"
#include "lpot/core/error.h"
#include "lpot/quantize/quantize.h"
#include "lpot/quantize/resolve.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const Table kNoComponents;
const Table kBasicStrategy{{.name = "basic", .summary = "the default"}};

Config load(const std::string& recipes) {
  return load_config_text(
      "model: {name: net}\nquantization:\n  recipes: {" + recipes + "}\n", "net.yaml",
      {kNoComponents, kNoComponents, kNoComponents, kNoComponents, kBasicStrategy, recipe_declarations()});
}

// A value that is not the default.
RecipeValue other_value(const RecipeDeclaration& declaration) {
  switch (declaration.key.parameter.kind) {
    case ValueKind::Integer:
      return std::int64_t{32};
    case ValueKind::Number:
      return 0.5;
    default:
      return !std::get<bool>(*declaration.plan_default);
  }
}

std::string text_of(const RecipeValue& value) {
  return std::visit([](auto held) { return fmt::format("{}", held); }, value);
}

// Convolutions, a residual sum, a concatenation and a product.
Model small_model() {
  const auto image = parameter({1, 2, 8, 8}, "image");
  const auto first = conv3x3(image, 2, 4, "conv1", 1);
  const auto relu = named(std::make_shared<op::Relu>(first), "relu");
  const auto second = conv3x3(relu, 4, 4, "conv2", 2);
  const auto sum = named(std::make_shared<op::Add>(second, relu), "sum");
  const auto joined = named(std::make_shared<op::Concat>(ov::OutputVector{sum, relu}, 1), "joined");
  const auto third = conv3x3(joined, 8, 3, "conv3", 3);
  const auto rows = std::make_shared<op::Reshape>(third, op::Constant::create(ov::element::i64, {2}, {1, 192}), false);
  return as_model({product(rows, 192, 5, "fc", 4)}, {image});
}

class EveryRecipe : public ::testing::TestWithParam<Recipe> {
 protected:
  const RecipeDeclaration& declaration() const { return GetParam().declaration; }
};

TEST_P(EveryRecipe, IsDeclaredCompletely) {
  const auto& [key, plan_default] = std::tie(declaration().key.parameter, declaration().plan_default);
  EXPECT_FALSE(declaration().name.empty());
  EXPECT_THAT((std::vector{ValueKind::Flag, ValueKind::Integer, ValueKind::Number}), Contains(key.kind));
  EXPECT_TRUE(key.name.empty() || !key.summary.empty());
  EXPECT_TRUE(key.kind != ValueKind::Flag || (plan_default && std::holds_alternative<bool>(*plan_default)));
  EXPECT_TRUE(key.kind == ValueKind::Flag || !declaration().rescales_constants);
  EXPECT_TRUE(declaration().alternative == 0 || plan_default == RecipeValue(false));
  EXPECT_TRUE(declaration().part_of.empty() || find(recipe_declarations(), declaration().part_of));
}

TEST_P(EveryRecipe, HasAHookThatAppliesIt) {
  const Recipe& recipe = GetParam();
  const bool has_hook = recipe.set_options || recipe.rescale_source || recipe.change_weights ||
                        recipe.adjust_quantized_weights || recipe.adjust_op || recipe.finish;
  EXPECT_TRUE(has_hook || !declaration().part_of.empty());
  EXPECT_TRUE(!recipe.rescale_source || declaration().statistics == RecipeStatistics::OwnPass);
}

TEST_P(EveryRecipe, IsReadBackFromItsJson) {
  Plan plan;
  plan.recipes.set(declaration(), other_value(declaration()));
  EXPECT_FALSE(plan.recipes.empty());
  EXPECT_THAT(to_json(plan), HasSubstr('"' + declaration().name + '"'));
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  EXPECT_NO_THROW(recipes_on(plan.recipes));
}

class RecipeWithKey : public EveryRecipe {};
class RecipeWithDefault : public EveryRecipe {};

TEST_P(RecipeWithKey, IsSetByItsConfigurationKey) {
  const RecipeValue value = other_value(declaration());
  std::vector<std::string> names = declaration().key.aliases;
  names.push_back(declaration().key.parameter.name);
  for (const std::string& name : names) {
    const Config config = load(name + ": " + text_of(value));
    EXPECT_EQ(config.quantization.recipes.values, (std::map<std::string, RecipeValue>{{declaration().name, value}}));
    EXPECT_THAT(describe(config, recipe_declarations()),
                Contains("quantization.recipes." + names.front() + " = " + text_of(value)));
  }
  EXPECT_THAT(message_of<ConfigError>([&] { load(declaration().key.parameter.name + ": [a]"); }),
              HasSubstr("got a list"));
}

TEST_P(RecipeWithDefault, DoesNotChangeTheModelIfItIsOff) {
  const Model model = small_model();
  const Tensor input = random_tensor({1, 2, 8, 8}, 7);
  const Statistics statistics =
      observe(model, observation_points(model), loader_of(unlabelled({input})), {}).snapshots.back();
  Plan plan;
  for (const QuantizableOp& op : quantizable_ops(model))
    plan.ops[op.name] = {Precision::Int8, {}, {.granularity = Granularity::PerChannel, .bits = 7}};
  const auto expected = run_plainly(quantize(model, plan, statistics).graph, {input});
  plan.recipes.set(declaration().name, *declaration().plan_default);
  EXPECT_EQ(run_plainly(quantize(model, plan, statistics).graph, {input}), expected);
}

std::vector<Recipe> recipes_with(bool (*wanted)(const RecipeDeclaration&)) {
  std::vector<Recipe> found;
  for (const Recipe& recipe : recipe_table())
    if (wanted(recipe.declaration)) found.push_back(recipe);
  return found;
}

std::string name_of(const ::testing::TestParamInfo<Recipe>& tested) { return tested.param.declaration.name; }

INSTANTIATE_TEST_SUITE_P(Table, EveryRecipe, ::testing::ValuesIn(recipe_table()), name_of);
INSTANTIATE_TEST_SUITE_P(Table, RecipeWithKey, ::testing::ValuesIn(recipes_with([](const RecipeDeclaration& recipe) {
                           return !recipe.key.parameter.name.empty();
                         })),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Table, RecipeWithDefault,
                         ::testing::ValuesIn(recipes_with([](const RecipeDeclaration& recipe) {
                           return recipe.plan_default.has_value();
                         })),
                         name_of);

TEST(RecipeTable, HasEveryNameKeyPositionAndAlternativeOnce) {
  std::set<std::string> names, keys;
  std::set<int> positions, alternatives;
  for (const RecipeDeclaration& recipe : recipe_declarations()) {
    EXPECT_TRUE(names.insert(recipe.name).second) << recipe.name;
    EXPECT_TRUE(recipe.alternative == 0 || alternatives.insert(recipe.alternative).second) << recipe.name;
    if (recipe.key.parameter.name.empty()) continue;
    EXPECT_TRUE(keys.insert(recipe.key.parameter.name).second) << recipe.name;
    for (const std::string& alias : recipe.key.aliases) EXPECT_TRUE(keys.insert(alias).second) << alias;
    EXPECT_TRUE(recipe.key.position == 1000 || positions.insert(recipe.key.position).second) << recipe.name;
  }
}

// The store identifies studies of version 0.1 by these lines.
TEST(RecipeTable, IsDescribedAsInVersion01) {
  const Config config = load(
      "scale_propagation_concat: false, fast_bias_correction: true, weight_correction: true, half_range: false, "
      "smooth_quant: true, smooth_quant_alpha: 0.5, cross_layer_equalization: true, forms: plain, residual_sums: true, "
      "int8_tables: false");
  std::vector<std::string> lines = describe(config, recipe_declarations());
  std::erase_if(lines, [](const std::string& line) { return !line.starts_with("quantization.recipes."); });
  EXPECT_THAT(lines,
              ::testing::ElementsAre(
                  "quantization.recipes.scale_propagation_max_pooling = true",
                  "quantization.recipes.scale_propagation_concat = false",
                  "quantization.recipes.first_conv_or_matmul_quantization = true",
                  "quantization.recipes.fast_bias_correction = true", "quantization.recipes.weight_correction = true",
                  "quantization.recipes.half_range = false", "quantization.recipes.smooth_quant = true",
                  "quantization.recipes.smooth_quant_alpha = 0.5",
                  "quantization.recipes.cross_layer_equalization = true", "quantization.recipes.int8_tables = false",
                  "quantization.recipes.residual_sums = true", "quantization.recipes.forms = plain"));
}

TEST(RecipeTable, RejectsAPlanWithAnUnknownRecipe) {
  Plan plan;
  plan.recipes.set("of_tomorrow", true);
  EXPECT_THAT(message_of<StoreError>([&] { resolve(small_model(), plan, {}); }),
              HasSubstr("unknown recipe 'of_tomorrow'"));
}

}  // namespace
}  // namespace lpot
