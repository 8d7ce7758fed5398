#include "lpot/plan/recipes.h"

#include <fmt/format.h>

#include <cmath>

#include "lpot/core/error.h"
#include "lpot/core/json.h"

namespace lpot {
namespace {

bool has_kind(const RecipeValue& value, ValueKind kind) {
  switch (kind) {
    case ValueKind::Flag:
      return std::holds_alternative<bool>(value);
    case ValueKind::Integer:
      return std::holds_alternative<std::int64_t>(value);
    case ValueKind::Number:
      return !std::holds_alternative<bool>(value);
    default:
      return false;
  }
}

std::string value_text(const RecipeValue& value) {
  return std::visit([](auto held) { return fmt::format("{}", held); }, value);
}

std::string wrong_kind_message(const std::string& recipe, const RecipeValue& value, ValueKind kind) {
  return fmt::format("recipe '{}' is {}; expected {}", recipe, value_text(value), to_string(kind));
}

RecipeValue recipe_value_from(const std::string& name, const nlohmann::json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json_integer(json);
  if (json.is_number() && std::isfinite(json.get<double>())) return json.get<double>();
  throw StoreError("plan",
                   fmt::format("recipe '{}' is of type {}; expected true, false or a number", name, json.type_name()));
}

}  // namespace

void Recipes::set(const RecipeDeclaration& declaration, RecipeValue value) {
  if (!has_kind(value, declaration.key.parameter.kind))
    throw ConfigError("quantization.recipes",
                      wrong_kind_message(declaration.name, value, declaration.key.parameter.kind));
  if (const auto* whole = std::get_if<std::int64_t>(&value);
      whole && declaration.key.parameter.kind == ValueKind::Number)
    value = static_cast<double>(*whole);
  if (declaration.plan_default == value)
    reset(declaration.name);
  else
    set(declaration.name, value);
}

const RecipeValue* Recipes::find(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

bool Recipes::flag(const std::string& name, bool otherwise) const {
  const RecipeValue* value = find(name);
  if (!value) return otherwise;
  if (const bool* held = std::get_if<bool>(value)) return *held;
  throw StoreError("plan", wrong_kind_message(name, *value, ValueKind::Flag));
}

std::int64_t Recipes::integer(const std::string& name, std::int64_t otherwise) const {
  const RecipeValue* value = find(name);
  if (!value) return otherwise;
  if (const auto* held = std::get_if<std::int64_t>(value)) return *held;
  throw StoreError("plan", wrong_kind_message(name, *value, ValueKind::Integer));
}

std::optional<double> Recipes::number(const std::string& name) const {
  const RecipeValue* value = find(name);
  if (!value) return std::nullopt;
  if (const auto* held = std::get_if<double>(value)) return *held;
  if (const auto* whole = std::get_if<std::int64_t>(value)) return static_cast<double>(*whole);
  throw StoreError("plan", wrong_kind_message(name, *value, ValueKind::Number));
}

std::optional<RecipeValue> value_of(const Recipes& recipes, const RecipeDeclaration& declaration) {
  const RecipeValue* named = recipes.find(declaration.name);
  return named ? *named : declaration.plan_default;
}

bool is_on(const Recipes& recipes, const RecipeDeclaration& declaration) {
  const std::optional<RecipeValue> value = value_of(recipes, declaration);
  if (!value) return false;
  if (const bool* flag = std::get_if<bool>(&*value)) return *flag;
  if (const auto* count = std::get_if<std::int64_t>(&*value)) return *count > 0;
  return true;
}

std::vector<std::string> describe_recipes(const Recipes& recipes, const RecipeDeclarations& declarations) {
  std::vector<std::string> texts;
  for (const RecipeDeclaration& declaration : declarations) {
    if (declaration.label.empty() || !is_on(recipes, declaration)) continue;
    const RecipeValue value = *value_of(recipes, declaration);
    const bool is_flag = std::holds_alternative<bool>(value);
    texts.push_back(is_flag ? declaration.label : fmt::format("{}: {}", declaration.label, value_text(value)));
  }
  return texts;
}

Recipes rescaling_part(const Recipes& recipes, const RecipeDeclarations& declarations) {
  Recipes part;
  for (const RecipeDeclaration& declaration : declarations)
    if (declaration.statistics == RecipeStatistics::OwnPass && is_on(recipes, declaration))
      part.set(declaration, *value_of(recipes, declaration));
  return part;
}

void check_recipes(const Recipes& recipes, const RecipeDeclarations& declarations) {
  for (const auto& [name, value] : recipes.all()) {
    const RecipeDeclaration* declaration = find(declarations, name);
    if (!declaration)
      throw StoreError(
          "plan", fmt::format("unknown recipe '{}'. The plan may have been written by a newer version of lpot.", name));
    if (!has_kind(value, declaration->key.parameter.kind))
      throw StoreError("plan", wrong_kind_message(name, value, declaration->key.parameter.kind));
  }
}

std::string to_json(const Recipes& recipes) {
  nlohmann::json json = nlohmann::json::object();
  // clang 14 cannot capture structured bindings.
  for (const auto& recipe : recipes.all()) std::visit([&](auto held) { json[recipe.first] = held; }, recipe.second);
  return json.dump();
}

Recipes recipes_from_json(const nlohmann::json& json) {
  if (!json.is_object())
    throw StoreError("plan", fmt::format("'recipes' is of type {}; expected an object", json.type_name()));
  Recipes recipes;
  for (const auto& [name, value] : json.items()) recipes.set(name, recipe_value_from(name, value));
  return recipes;
}

Recipes recipes_from_json(const std::string& text) {
  const nlohmann::json json = parse_json_or_discard(text);
  if (json.is_discarded()) throw StoreError("plan", "recipes are not valid JSON");
  return recipes_from_json(json);
}

}  // namespace lpot
