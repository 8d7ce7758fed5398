#include "lpot/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/json.h"

namespace lpot {
namespace {

// Writes JSON text directly, because a tree of JSON values needs many times the memory of the text. Keys are in
// alphabetical order.
void write(std::string& text, const TensorScheme& scheme) {
  fmt::format_to(std::back_inserter(text), R"({{"algorithm":"{}",)", to_string(scheme.algorithm));
  if (scheme.bits != 8) fmt::format_to(std::back_inserter(text), R"("bits":{},)", scheme.bits);
  fmt::format_to(std::back_inserter(text), R"("granularity":"{}","scheme":"{}"}})", to_string(scheme.granularity),
                 to_string(scheme.symmetry));
}

void write(std::string& text, const OpPlan& op) {
  text += '{';
  const bool is_int8 = op.is_int8();
  if (is_int8 && !op.weights_only) {
    text += R"("activation":)";
    write(text, op.activation);
    text += ',';
  }
  if (is_int8 && op.variant != KernelVariant::Plain)
    fmt::format_to(std::back_inserter(text), R"("form":"{}",)", to_string(op.variant));
  fmt::format_to(std::back_inserter(text), R"("precision":"{}")", to_string(op.precision));
  if (is_int8) {
    text += R"(,"weight":)";
    write(text, op.weight);
    if (op.weights_only) text += R"(,"weights_only":true)";
  }
  text += '}';
}

template <typename Word>
Word word(const Json& json, const char* key) {
  const auto text = json.at(key).get<std::string>();
  const auto value = parse<Word>(text);
  if (!value) throw StoreError("plan", fmt::format("'{}' is not a valid {}", text, key));
  return *value;
}

TensorScheme scheme_from(const Json& json) {
  return {word<Algorithm>(json, "algorithm"), word<Granularity>(json, "granularity"), word<Symmetry>(json, "scheme"),
          static_cast<int>(json_integer(json, "bits", 8))};
}

OpPlan op_from(const Json& json) {
  OpPlan op;
  op.precision = word<Precision>(json, "precision");
  if (op.precision == Precision::Uint8)
    throw StoreError("plan", "'uint8' is not a valid precision of an op; expected int8, fp32, bf16 or fp16");
  if (!op.is_int8()) return op;
  op.weights_only = json.value("weights_only", false);
  if (!op.weights_only) op.activation = scheme_from(json.at("activation"));
  op.weight = scheme_from(json.at("weight"));
  if (json.contains("form")) op.variant = word<KernelVariant>(json, "form");
  return op;
}

}  // namespace

std::vector<std::string> Plan::fallback() const {
  std::vector<std::string> names;
  for (const auto& [name, op] : ops)
    if (!op.is_int8()) names.push_back(name);
  return names;
}

std::size_t Plan::int8_count() const {
  return static_cast<std::size_t>(
      std::count_if(ops.begin(), ops.end(), [](const auto& op) { return op.second.is_int8(); }));
}

std::string describe_precisions(const Plan& plan) {
  const Precision usual = unquantized(plan.inference_precision);
  const auto in_f32 = std::count_if(plan.ops.begin(), plan.ops.end(), [&](const auto& op) {
    return op.second.precision == Precision::Fp32 && usual != Precision::Fp32;
  });
  std::string text =
      fmt::format("{} ops in int8, {} in {}", plan.int8_count(),
                  plan.ops.size() - plan.int8_count() - static_cast<std::size_t>(in_f32), to_string(usual));
  if (in_f32 > 0) text += fmt::format(", {} in fp32", in_f32);
  return text;
}

std::string model_label(const Plan& plan) {
  if (plan.int8_count() > 0 || plan.ops.empty()) return "int8";
  return std::string(to_string(unquantized(plan.inference_precision)));
}

std::string to_json(const Plan& plan) {
  std::string text = "{";
  // Plans in f32 have the same JSON, and so the same hash, as those of version 0.1.
  if (plan.inference_precision != InferencePrecision::F32)
    text += fmt::format(R"("inference_precision":"{}",)", to_string(plan.inference_precision));
  text += R"("ops":{)";
  for (const auto& [name, op] : plan.ops) {
    if (text.back() != '{') text += ',';
    text += Json(name).dump();
    text += ':';
    write(text, op);
  }
  text += '}';
  if (!plan.recipes.empty()) text += R"(,"recipes":)" + to_json(plan.recipes);
  if (plan.sampling_size != 0) text += fmt::format(R"(,"sampling_size":{})", plan.sampling_size);
  return text + '}';
}

Plan plan_from_json(const std::string& text) {
  try {
    check_json_depth(text);
    Plan plan;
    std::string key, name;
    // Converts each op as soon as it is parsed, so that only one op exists as JSON at a time. Values of "ops" that are
    // not objects stay in the JSON and are rejected below.
    const auto read_op = [&](int depth, Json::parse_event_t event, Json& value) {
      if (event == Json::parse_event_t::key && depth == 1) {
        key = value.get<std::string>();
        if (key == "ops") plan.ops.clear();  // the last of several equal keys counts
      }
      if (key != "ops" || depth != 2) return true;
      if (event == Json::parse_event_t::key) name = value.get<std::string>();
      if (event != Json::parse_event_t::object_end) return true;
      plan.ops.insert_or_assign(plan.ops.end(), name, op_from(value));
      return false;
    };
    const Json json = Json::parse(text, read_op);
    plan.sampling_size = static_cast<std::size_t>(json_integer(json, "sampling_size", 0));
    if (json.contains("inference_precision"))
      plan.inference_precision = word<InferencePrecision>(json, "inference_precision");
    if (json.contains("recipes")) plan.recipes = recipes_from_json(json.at("recipes"));
    const auto& ops = json.at("ops");
    if (!ops.is_object())
      throw StoreError("plan", fmt::format("invalid plan: 'ops' is of type {}; expected an object", ops.type_name()));
    for (const auto& [other, op] : ops.items()) plan.ops.emplace(other, op_from(op));
    return plan;
  } catch (const Json::exception& error) {
    throw StoreError("plan", fmt::format("invalid plan: {}", error.what()));
  }
}

std::string plan_hash(const Plan& plan) { return Fingerprint().add(to_json(plan)).hex(); }

}  // namespace lpot
