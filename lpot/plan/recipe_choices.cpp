#include "lpot/plan/recipe_choices.h"

#include <fmt/format.h>

#include <map>

#include "lpot/core/error.h"
#include "lpot/core/text.h"

namespace lpot {
namespace {

bool is_named_in_advance(const RecipeDeclaration& recipe, const RecipeConfig& wanted) {
  return recipe.key.advance && wanted.advance.contains(recipe.key.advance->name);
}

bool is_decided(const RecipeDeclaration& recipe, const RecipeConfig& wanted) {
  return wanted.values.contains(recipe.name) || is_named_in_advance(recipe, wanted);
}

// load_config checks names, but a configuration that is built in code may contain any name.
void check_names(const RecipeConfig& wanted, const RecipeDeclarations& declarations) {
  std::vector<std::string> known;
  for (const RecipeDeclaration& recipe : declarations) known.push_back(recipe.name);
  for (const auto& [name, value] : wanted.values)
    if (!find(declarations, name))
      throw ConfigError("quantization", fmt::format("recipes: unknown recipe '{}'{}", name, did_you_mean(name, known)));
}

std::optional<RecipeValue> configured_value(const RecipeDeclaration& recipe, const RecipeConfig& wanted) {
  if (is_named_in_advance(recipe, wanted)) return true;
  const auto written = wanted.values.find(recipe.name);
  if (written != wanted.values.end()) return written->second;
  return recipe.config_default ? recipe.config_default : recipe.plan_default;
}

Recipes configured_recipes(const RecipeConfig& wanted, const RecipeDeclarations& declarations) {
  check_names(wanted, declarations);
  Recipes recipes;
  for (const RecipeDeclaration& recipe : declarations)
    if (const auto value = configured_value(recipe, wanted)) recipes.set(recipe, *value);
  for (const RecipeDeclaration& recipe : declarations)
    if (const RecipeDeclaration* whole = find(declarations, recipe.part_of); whole && !is_on(recipes, *whole))
      recipes.reset(recipe.name);
  return recipes;
}

}  // namespace

std::vector<Recipes> recipe_choices(const RecipeConfig& wanted, const RecipeDeclarations& declarations) {
  std::map<int, const RecipeDeclaration*> alternatives;
  for (const RecipeDeclaration& recipe : declarations)
    if (recipe.alternative > 0) alternatives.emplace(recipe.alternative, &recipe);
  std::vector<Recipes> all{configured_recipes(wanted, declarations)};
  for (const auto& [order, recipe] : alternatives) {
    if (is_decided(*recipe, wanted)) continue;
    const std::size_t without = all.size();
    for (std::size_t i = 0; i < without; ++i) {
      Recipes with = all[i];
      with.set(*recipe, true);
      all.push_back(std::move(with));
    }
  }
  return all;
}

WithWarnings<Recipes> without_range_recipes(Recipes recipes, const RecipeConfig& wanted,
                                            const RecipeDeclarations& declarations) {
  WithWarnings<Recipes> result{std::move(recipes)};
  for (const RecipeDeclaration& recipe : declarations) {
    if (recipe.statistics == RecipeStatistics::None) continue;
    const auto written = wanted.values.find(recipe.name);
    if (written != wanted.values.end() && written->second == RecipeValue(true))
      result.warnings.push_back(fmt::format(
          "quantization.recipes.{}: ignored because it needs calibrated ranges, which post_training_dynamic_quant does "
          "not have",
          recipe.key.parameter.name));
    result.value.reset(recipe.name);
  }
  return result;
}

}  // namespace lpot
