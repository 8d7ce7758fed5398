#include "lpot/quantize/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/json.h"

namespace lpot {
namespace {

using Json = nlohmann::json;

Json to_json_value(const TensorScheme& scheme) {
  Json json{{"algorithm", to_string(scheme.algorithm)},
            {"granularity", to_string(scheme.granularity)},
            {"scheme", to_string(scheme.symmetry)}};
  if (scheme.bits != 8) json["bits"] = scheme.bits;
  return json;
}

template <typename Word>
Word word(const Json& json, const char* key) {
  const auto text = json.at(key).get<std::string>();
  const auto value = parse<Word>(text);
  if (!value) throw StoreError("plan", fmt::format("'{}' is no {}", text, key));
  return *value;
}

TensorScheme scheme_from(const Json& json) {
  return {word<Algorithm>(json, "algorithm"), word<Granularity>(json, "granularity"), word<Symmetry>(json, "scheme"),
          static_cast<int>(whole_number(json, "bits", 8))};
}

OpPlan op_from(const Json& json) {
  OpPlan op;
  op.precision = word<Precision>(json, "precision");
  if (op.precision == Precision::Fp32) return op;
  if (op.precision != Precision::Int8)
    throw StoreError("plan",
                     fmt::format("'{}' is no precision of an op, expected int8 or fp32", to_string(op.precision)));
  op.weights_only = json.value("weights_only", false);
  if (!op.weights_only) op.activation = scheme_from(json.at("activation"));
  op.weight = scheme_from(json.at("weight"));
  if (json.contains("form")) op.form = word<Form>(json, "form");
  return op;
}

Json to_json_value(const Recipes& recipes) {
  Json json = Json::object();
  if (recipes.smooth_quant) json["smooth_quant"] = true;
  if (recipes.smooth_quant_alpha) json["smooth_quant_alpha"] = *recipes.smooth_quant_alpha;
  if (recipes.bias_correction) json["bias_correction"] = true;
  if (recipes.weight_correction) json["weight_correction"] = true;
  if (recipes.int8_tables) json["int8_tables"] = true;
  if (recipes.residual_sums) json["residual_sums"] = true;
  if (recipes.cross_layer_equalization) json["cross_layer_equalization"] = true;
  if (recipes.run_time_groups != 0) json["run_time_groups"] = recipes.run_time_groups;
  if (!recipes.through_max_pooling) json["through_max_pooling"] = false;
  if (!recipes.through_concat) json["through_concat"] = false;
  return json;
}

Recipes recipes_from(const Json& json) {
  Recipes recipes;
  recipes.smooth_quant = json.value("smooth_quant", false);
  if (json.contains("smooth_quant_alpha")) recipes.smooth_quant_alpha = json.at("smooth_quant_alpha").get<double>();
  recipes.bias_correction = json.value("bias_correction", false);
  recipes.weight_correction = json.value("weight_correction", false);
  recipes.int8_tables = json.value("int8_tables", false);
  recipes.residual_sums = json.value("residual_sums", false);
  recipes.cross_layer_equalization = json.value("cross_layer_equalization", false);
  recipes.run_time_groups = static_cast<std::size_t>(whole_number(json, "run_time_groups", 0));
  recipes.through_max_pooling = json.value("through_max_pooling", true);
  recipes.through_concat = json.value("through_concat", true);
  return recipes;
}

}  // namespace

std::vector<std::string> Plan::fallback() const {
  std::vector<std::string> names;
  for (const auto& [name, op] : ops)
    if (op.precision == Precision::Fp32) names.push_back(name);
  return names;
}

std::size_t Plan::int8_count() const {
  return static_cast<std::size_t>(
      std::count_if(ops.begin(), ops.end(), [](const auto& op) { return op.second.precision != Precision::Fp32; }));
}

std::string to_json(const Plan& plan) {
  Json ops = Json::object();
  for (const auto& [name, op] : plan.ops) {
    Json& json = ops[name];
    json["precision"] = to_string(op.precision);
    if (op.precision == Precision::Fp32) continue;
    if (op.weights_only)
      json["weights_only"] = true;
    else
      json["activation"] = to_json_value(op.activation);
    json["weight"] = to_json_value(op.weight);
    if (op.form != Form::Plain) json["form"] = to_string(op.form);
  }
  Json json{{"ops", std::move(ops)}};
  if (plan.recipes != Recipes{}) json["recipes"] = to_json_value(plan.recipes);
  if (plan.sampling_size != 0) json["sampling_size"] = plan.sampling_size;
  return json.dump();
}

Plan plan_from_json(const std::string& text) {
  try {
    const Json json = parse_json(text);
    Plan plan;
    plan.sampling_size = static_cast<std::size_t>(whole_number(json, "sampling_size", 0));
    if (json.contains("recipes")) plan.recipes = recipes_from(json.at("recipes"));
    const auto& ops = json.at("ops");
    if (!ops.is_object())
      throw StoreError("plan", fmt::format("not a plan: 'ops' is of type {}, expected an object", ops.type_name()));
    for (const auto& [name, op] : ops.items()) plan.ops.emplace(name, op_from(op));
    return plan;
  } catch (const Json::exception& error) {
    throw StoreError("plan", fmt::format("not a plan: {}", error.what()));
  }
}

std::string plan_hash(const Plan& plan) { return Fingerprint().add(to_json(plan)).hex(); }

}  // namespace lpot
