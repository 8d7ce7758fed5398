// All recipes.
//
//   for (const Recipe* recipe : recipes_on(plan.recipes)) std::cout << recipe->declaration.label << "\n";
//
// A new one needs:
// - its file NAME.cpp in this folder, with NAME_recipe: the declaration (core/recipe.h) and the hooks (recipe.h)
// - its row in table.cpp, which also declares NAME_recipe
// - its test tests/quantize/recipes/test_NAME.cpp; test_table.cpp tests all rows of the table
// - `build/bin/lpot reference > docs/reference.md`
#pragma once
#include <vector>

#include "lpot/plan/recipes.h"
#include "lpot/quantize/recipes/recipe.h"

namespace lpot {

// In the order in which reports and deploy.yaml list them, and in which the recipes of one hook are applied.
const std::vector<Recipe>& recipe_table();

// The declarations of the table, for the configuration, the search space and reports.
const RecipeDeclarations& recipe_declarations();

// The same for one model: without RecipeDeclaration::alternative where the recipe would change nothing.
RecipeDeclarations recipe_declarations_for(const Model&);

// The enabled recipes, in the order of the table. Throws StoreError for an unknown recipe or a value of the wrong type.
std::vector<const Recipe*> recipes_on(const Recipes&);

}  // namespace lpot
