// Which recipes a search may choose from. The declarations decide, so nothing here names a recipe.
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

// As the configuration has them; then, where it leaves the choice, others that may help. Each alternative is added to
// the ones before, so the first that the user decided ends the list. Throws ConfigError for a recipe that is not
// declared and for a value of another kind.
std::vector<Recipes> recipe_choices(const RecipeConfig&, const RecipeDeclarations&);

// Without the recipes that need statistics of activations, for models that are not calibrated. Warns of those that the
// user asked for.
WithWarnings<Recipes> without_range_recipes(Recipes, const RecipeConfig&, const RecipeDeclarations&);

}  // namespace lpot
