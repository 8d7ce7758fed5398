// Max pooling does not change values, so the quantizer after it can move before it. The pooling then works on integers.
#include "lpot/quantize/recipes/recipe.h"

namespace lpot {
namespace {

Edits set_through_max_pooling(const RecipeValue& value, Edits edits) {
  edits.through_max_pooling = std::get<bool>(value);
  return edits;
}

}  // namespace

Recipe through_max_pooling_recipe() {
  return {.declaration = {.name = "through_max_pooling",
                          .key = {.parameter = {.name = "scale_propagation_max_pooling",
                                                .kind = ValueKind::Flag,
                                                .default_value = "true",
                                                .summary = "max pooling keeps its input's scale"},
                                  .position = 10},
                          .plan_default = true},
          .set_options = set_through_max_pooling};
}

}  // namespace lpot
