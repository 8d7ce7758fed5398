// A recipe: its declaration and the code that applies it, in one file of this folder. table.cpp lists all recipes, and
// table.h lists what a new one needs.
//
//   Recipe double_bias_recipe() {
//     const Parameter key{.name = "double_bias", .kind = ValueKind::Flag, .summary = "double every bias"};
//     return {.declaration = {.name = "double_bias", .key = {key}, .plan_default = false, .label = "double_bias"},
//             .adjust_op = double_bias};
//   }
//
// `resolve` (quantize/resolve.h) calls the hooks of the recipes that a plan switches on, hook after hook in the order
// below, and the recipes of one hook in the order of the table. A hook that is not set does nothing.
#pragma once
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/core/recipe.h"
#include "lpot/plan/plan.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/graph/products.h"
#include "lpot/quantize/graph/quantization_target.h"

namespace lpot {

class EmbeddingEdits;

// The arguments of `resolve`.
struct RecipeContext {
  const Model& model;
  const Plan& plan;
  const Statistics& statistics;
  const EmbeddingEdits* embeddings = nullptr;  // of the model; set when several plans are resolved
};

struct Recipe {
  RecipeDeclaration declaration = {};

  // Whether the recipe changes anything in this model. A search does not add recipes that do not. Not set: always.
  bool (*applies_to)(const Model&) = nullptr;

  // Sets options of the edits. Called with the plan's value or the default, also when the recipe is off.
  Edits (*set_options)(const RecipeValue&, Edits) = nullptr;

  // Before rounding: returns constants of the fp32 model that change without changing its outputs. Two recipes must not
  // change the same constant.
  std::vector<ConstantEdit> (*rescale_source)(const Model&) = nullptr;

  // Before rounding: changes the fp32 weights of ops that become int8, and constants before them. Returns the divisors
  // of products.
  ScoreDivisors (*change_weights)(const RecipeContext&, Rescaling&) = nullptr;

  // After rounding: changes the integers or scales of an op's weights. Called from several threads.
  QuantizedRows (*adjust_quantized_weights)(const WeightMatrix& exact, QuantizedRows) = nullptr;

  // After rounding: changes the edit of an op whose activation is quantized, for example its bias. Called from several
  // threads.
  OpEdit (*adjust_op)(const QuantizationTarget&, const QuantizedRows&, OpEdit) = nullptr;

  // Adds edits after the edits of all ops are complete.
  Edits (*finish)(const RecipeContext&, Edits) = nullptr;
};

}  // namespace lpot
