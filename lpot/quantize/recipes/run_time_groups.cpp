#include "lpot/quantize/recipes/run_time_groups.h"

#include "lpot/quantize/recipes/recipe.h"

namespace lpot {
namespace {

Edits set_run_time_groups(const RecipeValue& value, Edits edits) {
  edits.run_time_groups = static_cast<std::size_t>(std::get<std::int64_t>(value));
  return edits;
}

}  // namespace

Recipe run_time_groups_recipe() {
  return {.declaration = {.name = kRunTimeGroups,
                          .key = {.parameter = {.name = "", .kind = ValueKind::Integer}},
                          .plan_default = std::int64_t{0},
                          .label = kRunTimeGroups},
          .set_options = set_run_time_groups};
}

}  // namespace lpot
