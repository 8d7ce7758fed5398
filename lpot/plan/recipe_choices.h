// Finds the combinations of recipes that a search may choose from. They follow from the declarations; no recipe is
// named here.
//
//   std::vector<Recipes> choices = recipe_choices(config.quantization.recipes, recipe_declarations());
//   choices.front();  // as the configuration has them
//
#pragma once
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/with_warnings.h"
#include "lpot/plan/recipes.h"

namespace lpot {

// The first choice is the configured one. Then follow choices with alternatives that the user did not set. Each choice
// adds one alternative to the previous choice; the list ends at the first alternative that the user set. Throws
// ConfigError for a recipe that is not declared and for a value of the wrong type.
std::vector<Recipes> recipe_choices(const RecipeConfig&, const RecipeDeclarations&);

// Removes the recipes that need activation statistics, for models that are not calibrated. Warns about removed recipes
// that the user set.
WithWarnings<Recipes> without_range_recipes(Recipes, const RecipeConfig&, const RecipeDeclarations&);

}  // namespace lpot
