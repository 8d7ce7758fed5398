#include "lpot/quantize/recipes/table.h"

namespace lpot {

// Each function is defined in the file with its name.
Recipe bias_correction_recipe();
Recipe cross_layer_equalization_recipe();
Recipe int8_embeddings_recipe();
Recipe onnx_runtime_recipe();
Recipe residual_sums_recipe();
Recipe run_time_groups_recipe();
Recipe smooth_quant_recipe();
Recipe smooth_quant_alpha_recipe();  // in smooth_quant.cpp
Recipe through_concat_recipe();
Recipe through_max_pooling_recipe();
Recipe weight_correction_recipe();

const std::vector<Recipe>& recipe_table() {
  static const std::vector<Recipe> kTable{
      smooth_quant_recipe(),
      smooth_quant_alpha_recipe(),
      bias_correction_recipe(),
      weight_correction_recipe(),
      cross_layer_equalization_recipe(),
      int8_embeddings_recipe(),
      residual_sums_recipe(),
      run_time_groups_recipe(),
      through_max_pooling_recipe(),
      through_concat_recipe(),
      onnx_runtime_recipe(),
  };
  return kTable;
}

const RecipeDeclarations& recipe_declarations() {
  static const RecipeDeclarations kDeclarations = [] {
    RecipeDeclarations declarations;
    for (const Recipe& recipe : recipe_table()) declarations.push_back(recipe.declaration);
    return declarations;
  }();
  return kDeclarations;
}

RecipeDeclarations recipe_declarations_for(const Model& model) {
  RecipeDeclarations declarations;
  for (const Recipe& recipe : recipe_table()) {
    declarations.push_back(recipe.declaration);
    if (declarations.back().alternative > 0 && recipe.applies_to && !recipe.applies_to(model))
      declarations.back().alternative = 0;
  }
  return declarations;
}

std::vector<const Recipe*> recipes_on(const Recipes& recipes) {
  check_recipes(recipes, recipe_declarations());
  std::vector<const Recipe*> on;
  for (const Recipe& recipe : recipe_table())
    if (is_on(recipes, recipe.declaration)) on.push_back(&recipe);
  return on;
}

}  // namespace lpot
