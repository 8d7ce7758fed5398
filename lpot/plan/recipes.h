// The recipes of a plan: a typed map from a recipe's name to its value. The recipes themselves are in quantize/recipes;
// table.h there lists what a new recipe needs.
//
//   Recipes recipes;
//   recipes.set("smooth_quant", true);
//   recipes.set("smooth_quant_alpha", 0.5);
//   recipes.flag("smooth_quant");        // true
//   recipes.integer("run_time_groups");  // 0: not set
//
// Holds only values that differ from the declaration's `plan_default`, so that equal recipes compare equal and give
// equal JSON. No declarations are needed to compare them.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lpot/core/recipe.h"

namespace lpot {

class Recipes {
 public:
  // `value` must differ from the default of the recipe. The other overload accepts any value.
  void set(const std::string& name, RecipeValue value) { values_[name] = value; }
  // Throws ConfigError for a value of the wrong type. An integer is accepted for a Number.
  void set(const RecipeDeclaration&, RecipeValue);
  void reset(const std::string& name) { values_.erase(name); }  // to its default

  // Values by name; `otherwise` is returned if the recipe is not set. Throw StoreError for a value of the wrong type.
  bool flag(const std::string& name, bool otherwise = false) const;
  std::int64_t integer(const std::string& name, std::int64_t otherwise = 0) const;
  std::optional<double> number(const std::string& name) const;

  const RecipeValue* find(const std::string& name) const;  // nullptr: not set
  const std::map<std::string, RecipeValue>& all() const { return values_; }
  bool empty() const { return values_.empty(); }
  auto operator<=>(const Recipes&) const = default;

 private:
  std::map<std::string, RecipeValue> values_;
};

// The value of a recipe: as set in the plan, or the default.
std::optional<RecipeValue> value_of(const Recipes&, const RecipeDeclaration&);

// Whether a recipe is on: a flag that is true, a count above 0, or a number that is set.
bool is_on(const Recipes&, const RecipeDeclaration&);

// The recipes that are on and have a label, for reports: "smooth_quant", "smooth_quant_alpha: 0.5".
std::vector<std::string> describe_recipes(const Recipes&, const RecipeDeclarations&);

// The recipes that change values inside the fp32 model (RecipeStatistics::OwnPass). Plans for which they are equal
// share statistics.
Recipes rescaling_part(const Recipes&, const RecipeDeclarations&);

// Throws StoreError for a recipe that is not declared and for a value of the wrong type.
void check_recipes(const Recipes&, const RecipeDeclarations&);

std::string to_json(const Recipes&);               // an object, keys sorted
Recipes recipes_from_json(const nlohmann::json&);  // throws StoreError
Recipes recipes_from_json(const std::string& text);

}  // namespace lpot
