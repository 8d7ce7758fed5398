// The declaration of a recipe: its YAML key, its plan parameter, the statistics it needs, its name in reports. A recipe
// is a method that changes the whole model, such as SmoothQuant. Declarations do not depend on OpenVINO, so the
// configuration, the search space and the reports can use them. Each recipe is one file in lpot/quantize/recipes;
// table.h there lists what a new recipe needs.
//
//   RecipeDeclaration declaration{
//       .name = "weight_scaling",
//       .key = {.parameter = {.name = "weight_scaling", .kind = ValueKind::Flag, .summary = "scale weights"}},
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
  OwnPass,  // needs its own pass: it changes values inside the fp32 model, or needs the ranges of more tensors
};

// How a recipe is set in a configuration.
struct RecipeKey {
  // The key in quantization.recipes. `kind` (Flag, Integer or Number) is the type of the recipe's value. A recipe with
  // an empty `name` has no key. `default_value` is set if the documentation shows a default.
  Parameter parameter = {.name = ""};
  // Older names of the key that are still accepted, the oldest last. describe() prints the oldest name, because its
  // lines identify studies in existing stores.
  std::vector<std::string> aliases = {};
  double low = -std::numeric_limits<double>::infinity();  // limits of a number
  double high = std::numeric_limits<double>::infinity();
  // Sorts the keys of quantization.recipes in the documentation and in describe(). New recipes are last.
  int position = 1000;
  // A key of quantization.advance that also enables the recipe.
  std::optional<Parameter> advance = {};
};

struct RecipeDeclaration {
  // The name in plans, stores and deploy.yaml. It must not change, so that existing studies can be read.
  std::string name = {};
  RecipeKey key = {};

  // The value if a plan does not set the recipe; unset: no value.
  std::optional<RecipeValue> plan_default = {};
  // The value if the configuration does not set the recipe; unset: `plan_default`.
  std::optional<RecipeValue> config_default = {};
  // The recipe that this one is a parameter of. Plans drop the parameter if that recipe is off.
  std::string part_of = {};
  // A search may add recipes with a number above 0, in this order, unless the user set them.
  int alternative = 0;

  RecipeStatistics statistics = RecipeStatistics::None;
  // Changes values of constants in the source graph. For flags only, because it is switched off by `false`:
  // without_rescaling in python/src/config.cpp does so for graphs whose constants are not those of the source graph.
  bool rescales_constants = false;
  std::string label = {};  // name in reports; empty: reports and deploy.yaml do not list the recipe
};

using RecipeDeclarations = std::vector<RecipeDeclaration>;

// The declaration of that name or nullptr.
inline const RecipeDeclaration* find(const RecipeDeclarations& declarations, std::string_view name) {
  for (const RecipeDeclaration& declaration : declarations)
    if (declaration.name == name) return &declaration;
  return nullptr;
}

}  // namespace lpot
