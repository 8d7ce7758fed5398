// Concatenation does not change values, so the quantizer after it can move before its inputs, which then share one
// scale. The concatenation then works on integers.
#include "lpot/quantize/recipes/recipe.h"

namespace lpot {
namespace {

Edits set_through_concat(const RecipeValue& value, Edits edits) {
  edits.through_concat = std::get<bool>(value);
  return edits;
}

}  // namespace

Recipe through_concat_recipe() {
  return {.declaration = {.name = "through_concat",
                          .key = {.parameter = {.name = "scale_propagation_concat",
                                                .kind = ValueKind::Flag,
                                                .default_value = "true",
                                                .summary = "all inputs of a concatenation share one scale"},
                                  .position = 20},
                          .plan_default = true},
          .set_options = set_through_concat};
}

}  // namespace lpot
