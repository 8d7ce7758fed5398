// Finds the combinations of recipes that a search may choose from. It uses only the declarations of the recipes, so a
// new recipe needs no change here.
//
//   std::vector<Recipes> choices = recipe_choices(config.quantization.recipes, recipe_declarations());
//   choices.front();  // the recipes of the configuration
//
#pragma once
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/with_warnings.h"
#include "lpot/plan/recipes.h"

namespace lpot {

// All combinations of the recipes that a search may add (RecipeDeclaration::alternative) and that the user did not set.
// The first choice has the configured recipes. Bit k of the index of a choice says whether it also has the k-th of the
// others, in the order of `alternative`. Throws ConfigError for a recipe that is not declared and for a value of the
// wrong type.
std::vector<Recipes> recipe_choices(const RecipeConfig&, const RecipeDeclarations&);

// Removes the recipes that need activation statistics, for models that are not calibrated. Warns about removed recipes
// that the user set.
WithWarnings<Recipes> without_range_recipes(Recipes, const RecipeConfig&, const RecipeDeclarations&);

}  // namespace lpot
