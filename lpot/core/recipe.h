// What a recipe, a treatment of the whole model, declares about itself. No OpenVINO: the configuration, the search
// space and the reports work from declarations alone. The code that applies a recipe is in lpot/quantize/recipes.
//
//   RecipeDeclaration declaration{
//       .name = "weight_scaling",
//       .key = {.name = "weight_scaling", .kind = ValueKind::Flag, .summary = "scale weights; unless given, not done"},
//       .plan_default = false,
//       .label = "weight_scaling"};
//
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lpot/core/component.h"

namespace lpot {

// The parameter of a recipe: on or off, a count, or a number.
using RecipeValue = std::variant<bool, std::int64_t, double>;

enum class RecipeStatistics {
  None,     // works without calibration
  Ranges,   // needs statistics of activations
  OwnPass,  // changes values inside the fp32 model, so it needs statistics of the changed model
};

struct RecipeDeclaration {
  // In plans, stores and deploy.yaml. Old studies are read by it, so it never changes.
  std::string name = {};

  // The key in quantization.recipes. Its kind (Flag, Integer or Number) is the kind of the value also where `key.name`
  // is empty: such a recipe has no key. `key.default_value` is set where the documentation shows a default.
  Parameter key = {.name = ""};
  // Older names of the key, which stay accepted, the oldest last. describe() prints the oldest, because its lines
  // identify studies.
  std::vector<std::string> aliases = {};
  double low = -std::numeric_limits<double>::infinity();  // limits of a number
  double high = std::numeric_limits<double>::infinity();
  // Orders the keys of quantization.recipes in the documentation and in describe(). New recipes come last.
  int position = 1000;
  // A key of quantization.advance that switches the recipe on as well.
  std::optional<Parameter> advance = {};

  // The value of a plan that does not name the recipe; unset: none.
  std::optional<RecipeValue> plan_default = {};
  // The value where the configuration does not name the recipe; unset: `plan_default`.
  std::optional<RecipeValue> config_default = {};
  // The recipe that this one is a parameter of: it is dropped from plans where that is off.
  std::string part_of = {};
  // A search adds recipes with a number above 0 one after the other, in this order, unless the user decided.
  int alternative = 0;

  RecipeStatistics statistics = RecipeStatistics::None;
  bool rescales_constants = false;  // writes other values into constants of the source graph
  std::string label = {};           // in reports; empty: neither reports nor deploy.yaml list it
};

using RecipeDeclarations = std::vector<RecipeDeclaration>;

// The declaration of that name or nullptr.
inline const RecipeDeclaration* find(const RecipeDeclarations& declarations, std::string_view name) {
  for (const RecipeDeclaration& declaration : declarations)
    if (declaration.name == name) return &declaration;
  return nullptr;
}

}  // namespace lpot
