// Recipes that resemble the real ones, for tests without OpenVINO. tests/quantize/recipes/test_table.cpp tests the real
// table.
#pragma once
#include "lpot/core/recipe.h"

namespace lpot {

inline RecipeDeclaration flag_recipe(const std::string& name, const std::string& key, int position) {
  return {.name = name,
          .key = {.parameter = {.name = key, .kind = ValueKind::Flag, .summary = "a flag"}, .position = position},
          .plan_default = false,
          .label = key};
}

inline RecipeDeclarations declared_recipes() {
  RecipeDeclaration smooth = flag_recipe("smooth_quant", "smooth_quant", 70);
  smooth.config_default = true;
  smooth.statistics = RecipeStatistics::Ranges;
  RecipeDeclaration alpha{
      .name = "smooth_quant_alpha",
      .key = {.parameter = {.name = "smooth_quant_alpha", .kind = ValueKind::Number, .summary = "a number"},
              .low = 0,
              .high = 1,
              .position = 80},
      .part_of = "smooth_quant",
      .statistics = RecipeStatistics::Ranges};
  RecipeDeclaration bias = flag_recipe("bias_correction", "fast_bias_correction", 40);
  bias.key.advance = Parameter{
      .name = "bias_correction", .kind = ValueKind::Text, .summary = "the same", .choices = {"weight_empirical"}};
  bias.alternative = 1;
  bias.statistics = RecipeStatistics::Ranges;
  RecipeDeclaration weight = flag_recipe("weight_correction", "weight_correction", 50);
  weight.alternative = 2;
  RecipeDeclaration equalization = flag_recipe("cross_layer_equalization", "cross_layer_equalization", 90);
  equalization.statistics = RecipeStatistics::OwnPass;
  RecipeDeclaration embeddings = flag_recipe("int8_tables", "int8_embeddings", 100);
  embeddings.key.aliases = {"int8_tables"};
  embeddings.config_default = true;
  RecipeDeclaration sums = flag_recipe("residual_sums", "residual_sums", 110);
  sums.config_default = true;
  sums.statistics = RecipeStatistics::Ranges;
  RecipeDeclaration pooling = flag_recipe("through_max_pooling", "scale_propagation_max_pooling", 10);
  pooling.plan_default = true;
  pooling.key.parameter.default_value = "true";
  RecipeDeclaration concat = flag_recipe("through_concat", "scale_propagation_concat", 20);
  concat.plan_default = true;
  concat.key.parameter.default_value = "true";
  RecipeDeclaration groups{.name = "run_time_groups",
                           .key = {.parameter = {.name = "", .kind = ValueKind::Integer}},
                           .plan_default = std::int64_t{0}};
  return {smooth, alpha, bias, weight, equalization, embeddings, sums, pooling, concat, groups};
}

inline const RecipeDeclarations kDeclaredRecipes = declared_recipes();

}  // namespace lpot
