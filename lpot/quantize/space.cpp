#include "lpot/quantize/space.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/quantize/op_keys.h"

namespace lpot {
namespace {

template <typename Word>
bool allows(const std::vector<Word>& list, Word word) {
  return list.empty() || std::find(list.begin(), list.end(), word) != list.end();
}

// Of a product of two activations, so that restrictions of weights do not touch it.
constexpr TensorScheme kNoWeights{Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 8};

// An asymmetric activation is stored as uint8, a symmetric one as int8 (or uint8 where nothing is negative); where the
// config names the scheme, either type stands for 8 bits.
bool allows_stored_type(const TensorRestriction& activation, Symmetry symmetry) {
  if (!activation.symmetries.empty())
    return allows(activation.precisions, Precision::Int8) || allows(activation.precisions, Precision::Uint8);
  return allows(activation.precisions, symmetry == Symmetry::Asymmetric ? Precision::Uint8 : Precision::Int8);
}

bool allows_choice(const OpRestriction& restriction, const OpPlan& choice) {
  const TensorRestriction& activation = restriction.activation;
  const TensorRestriction& weight = restriction.weight;
  if (choice.precision == Precision::Fp32)
    return allows(activation.precisions, Precision::Fp32) && allows(weight.precisions, Precision::Fp32);
  const bool allows_activation =
      choice.weights_only
          ? allows(activation.precisions, Precision::Int8) || allows(activation.precisions, Precision::Uint8)
          : allows_stored_type(activation, choice.activation.symmetry) &&
                allows(activation.symmetries, choice.activation.symmetry) &&
                allows(activation.algorithms, choice.activation.algorithm) &&
                allows(activation.granularities, choice.activation.granularity);
  return allows_activation && allows(weight.precisions, Precision::Int8) &&
         allows(weight.granularities, choice.weight.granularity) && allows(weight.symmetries, choice.weight.symmetry) &&
         allows(weight.algorithms, choice.weight.algorithm);
}

std::vector<OpPlan> all_choices(const Capability& row, int weight_bits) {
  std::vector<Algorithm> algorithms = row.activation_algorithms;
  algorithms.insert(algorithms.end(), row.algorithms_by_name.begin(), row.algorithms_by_name.end());
  std::vector<OpPlan> choices;
  for (const Granularity granularity : row.weight_granularities)
    for (const Symmetry symmetry : row.activation_symmetries)
      for (const Algorithm algorithm : algorithms)
        for (const Algorithm of_weights : {Algorithm::MinMax, Algorithm::Mse})
          choices.push_back({Precision::Int8,
                             {algorithm, Granularity::PerTensor, symmetry},
                             {of_weights, granularity, Symmetry::Symmetric, weight_bits}});
  choices.push_back({Precision::Fp32, {}, {}});
  return choices;
}

std::vector<OpPlan> weights_only_choices(const Capability& row, int weight_bits) {
  std::vector<OpPlan> choices;
  for (const Granularity granularity : row.weight_granularities)
    for (const Algorithm algorithm : {Algorithm::MinMax, Algorithm::Mse})
      choices.push_back({.precision = Precision::Int8,
                         .weight = {algorithm, granularity, Symmetry::Symmetric, weight_bits},
                         .weights_only = true});
  choices.push_back({Precision::Fp32, {}, {}});
  return choices;
}

// A product of two activations: both around zero.
std::vector<OpPlan> product_choices(const Capability& row) {
  std::vector<Algorithm> algorithms = row.activation_algorithms;
  algorithms.insert(algorithms.end(), row.algorithms_by_name.begin(), row.algorithms_by_name.end());
  std::vector<OpPlan> choices;
  for (const Algorithm algorithm : algorithms)
    choices.push_back({Precision::Int8, {algorithm, Granularity::PerTensor, Symmetry::Symmetric}, kNoWeights});
  choices.push_back({Precision::Fp32, {}, {}});
  return choices;
}

// The algorithms that restrictions of an op name.
struct NamedAlgorithms {
  std::vector<Algorithm> activation;
  std::vector<Algorithm> weight;

  void add(const OpRestriction& restriction) {
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(activation, restriction.activation.algorithms);
    append(weight, restriction.weight.algorithms);
  }
};

// Algorithms that are tried only where they are named.
void drop_unnamed_algorithms(OpSpace& op, const Capability& row, const NamedAlgorithms& named) {
  const auto has = [](const std::vector<Algorithm>& list, Algorithm algorithm) {
    return std::find(list.begin(), list.end(), algorithm) != list.end();
  };
  std::erase_if(op.choices, [&](const OpPlan& choice) {
    if (choice.precision != Precision::Int8) return false;
    const Algorithm activation = choice.activation.algorithm, weight = choice.weight.algorithm;
    return (!choice.weights_only && has(row.algorithms_by_name, activation) && !has(named.activation, activation)) ||
           (weight == Algorithm::Mse && !has(named.weight, weight));
  });
}

// What no kernel has is left out with a warning, as the original does: weights with a zero point, activations with a
// scale for each channel.
OpRestriction possible(OpRestriction restriction, const std::string& where, std::vector<std::string>& warnings) {
  const auto drop = [&](auto& wanted, auto only, const char* said) {
    if (allows(wanted, only)) return;
    wanted.clear();
    warnings.push_back(fmt::format("{}.{}, ignored", where, said));
  };
  drop(restriction.weight.symmetries, Symmetry::Symmetric, "weight.scheme: int8 weights are always sym here");
  drop(restriction.activation.granularities, Granularity::PerTensor,
       "activation.granularity: int8 activations are always per_tensor here");
  return restriction;
}

void restrict(OpSpace& op, const OpRestriction& restriction, const std::string& where) {
  if (restriction.weight.bits)
    for (OpPlan& choice : op.choices)
      choice.weight.bits = std::min(choice.weight.bits, static_cast<int>(*restriction.weight.bits));
  std::erase_if(op.choices, [&](const OpPlan& choice) { return !allows_choice(restriction, choice); });
  if (op.choices.empty())
    throw ConfigError("quantization",
                      fmt::format("{} leaves op '{}' ({}) no scheme: activations can be uint8 asym or int8 sym, "
                                  "minmax, kl, percentile or mse, per_tensor; "
                                  "weights int8 sym, minmax or mse, per_channel or per_tensor; or fp32 for both",
                                  where, op.name, op.type));
}

// A product of two activations has no weights, and may always stay in fp32.
void restrict_product(OpSpace& op, OpRestriction restriction) {
  TensorRestriction weight;
  weight.precisions = restriction.weight.precisions;
  restriction.weight = weight;
  std::erase_if(op.choices, [&](const OpPlan& choice) { return !allows_choice(restriction, choice); });
  if (op.choices.empty()) op.choices = {OpPlan{}};
}

// How many parts of the scheme two choices share.
int likeness(const OpPlan& a, const OpPlan& b) {
  if (a.precision != b.precision) return -1;
  return (a.weight.granularity == b.weight.granularity) * 8 + (a.activation.symmetry == b.activation.symmetry) * 4 +
         (a.activation.algorithm == b.activation.algorithm) * 2 + (a.weight.algorithm == b.weight.algorithm);
}

// As the config has them; then, where it leaves the choice, others that may help.
std::vector<Recipes> recipes_of(const QuantizationConfig& config) {
  const RecipeConfig& wanted = config.recipes;
  Recipes recipes;
  recipes.smooth_quant = wanted.smooth_quant.value_or(true);
  if (recipes.smooth_quant) recipes.smooth_quant_alpha = wanted.smooth_quant_alpha;
  recipes.bias_correction = wanted.fast_bias_correction.value_or(false) || !config.bias_correction.empty();
  recipes.weight_correction = wanted.weight_correction.value_or(false);
  recipes.cross_layer_equalization = wanted.cross_layer_equalization.value_or(false);
  recipes.int8_tables = wanted.int8_tables.value_or(true);
  recipes.residual_sums = wanted.residual_sums.value_or(true);
  recipes.through_max_pooling = wanted.scale_propagation_max_pooling;
  recipes.through_concat = wanted.scale_propagation_concat;
  std::vector<Recipes> all{recipes};
  if (!wanted.fast_bias_correction && !recipes.bias_correction) {
    recipes.bias_correction = true;
    all.push_back(recipes);
    if (!wanted.weight_correction) {
      recipes.weight_correction = true;
      all.push_back(recipes);
    }
  }
  return all;
}

// What needs the ranges of activations has no place where there are none.
void drop_range_recipes(Recipes& recipes, const RecipeConfig& wanted, std::vector<std::string>& warnings) {
  const auto tell = [&](std::optional<bool> asked_for, const char* name) {
    if (asked_for.value_or(false))
      warnings.push_back(fmt::format(
          "quantization.recipes.{} needs calibrated ranges, which post_training_dynamic_quant has not: ignored", name));
  };
  tell(wanted.smooth_quant, "smooth_quant");
  tell(wanted.fast_bias_correction, "fast_bias_correction");
  tell(wanted.cross_layer_equalization, "cross_layer_equalization");
  recipes.smooth_quant = recipes.bias_correction = recipes.residual_sums = recipes.cross_layer_equalization = false;
  recipes.smooth_quant_alpha.reset();
}

}  // namespace

const OpPlan& OpSpace::most_like(const OpPlan& wanted) const {
  return *std::max_element(choices.begin(), choices.end(),
                           [&](const OpPlan& a, const OpPlan& b) { return likeness(a, wanted) < likeness(b, wanted); });
}

Plan SearchSpace::plan(const OpPlan& choice, const std::vector<std::string>& fallback) const {
  Plan plan;
  plan.recipes = recipes.front();
  for (const OpSpace& op : ops) {
    const bool to_fp32 = op.can_fall_back() && std::find(fallback.begin(), fallback.end(), op.name) != fallback.end();
    plan.ops[op.name] = op.most_like(to_fp32 ? OpPlan{Precision::Fp32, {}, {}} : choice);
  }
  return plan;
}

bool SearchSpace::contains(const Plan& plan) const {
  return std::find(recipes.begin(), recipes.end(), plan.recipes) != recipes.end() && plan.ops.size() == ops.size() &&
         std::all_of(ops.begin(), ops.end(), [&](const OpSpace& op) {
           const auto found = plan.ops.find(op.name);
           return found != plan.ops.end() &&
                  std::find(op.choices.begin(), op.choices.end(), found->second) != op.choices.end();
         });
}

SearchSpace make_search_space(const std::vector<QuantizableOp>& ops, const QuantizationConfig& config, bool half_range,
                              std::vector<std::string>& warnings) {
  SearchSpace space;
  const bool weights_only = config.approach == Approach::DynamicQuantization;
  std::vector<const Capability*> rows;
  std::vector<NamedAlgorithms> named(ops.size());
  for (const QuantizableOp& op : ops) {
    rows.push_back(find_capability(op.type));
    const int bits = half_range ? 7 : 8;
    if (!op.second.empty()) {
      // Nothing keeps 16-bit sums of these from overflowing.
      const bool may_be_int8 = !half_range && !weights_only;
      space.ops.push_back(
          {op.name, op.type, may_be_int8 ? product_choices(*rows.back()) : std::vector<OpPlan>{OpPlan{}}});
      continue;
    }
    space.ops.push_back(
        {op.name, op.type, weights_only ? weights_only_choices(*rows.back(), bits) : all_choices(*rows.back(), bits)});
  }
  const auto restrict_one = [&](std::size_t i, const OpRestriction& restriction, const std::string& where) {
    if (ops[i].second.empty())
      restrict(space.ops[i], restriction, where);
    else
      restrict_product(space.ops[i], restriction);
    named[i].add(restriction);
  };
  const OpRestriction model_wise = possible(config.model_wise, "quantization.model_wise", warnings);
  for (std::size_t i = 0; i < ops.size(); ++i) restrict_one(i, model_wise, "quantization.model_wise");
  std::vector<OpInfo> known;
  for (const QuantizableOp& op : ops) known.push_back({op.name, op.type});
  for (const auto& [key, wanted] : config.op_wise) {
    const std::string where = to_string(wanted.place) + ": quantization.op_wise";
    const OpRestriction restriction = possible(wanted, where + "." + key, warnings);
    for (const std::size_t i : ops_for_key(known, key, wanted.place, warnings)) restrict_one(i, restriction, where);
  }
  for (std::size_t i = 0; i < space.ops.size(); ++i) drop_unnamed_algorithms(space.ops[i], *rows[i], named[i]);
  if (!config.recipes.first_conv_or_matmul_quantization && !space.ops.empty())
    space.ops.front().choices = {{Precision::Fp32, {}, {}}};
  space.recipes = recipes_of(config);
  if (weights_only) {
    space.recipes.resize(1);
    drop_range_recipes(space.recipes.front(), config.recipes, warnings);
  } else if (config.sampling_sizes.size() > 1) {
    space.sampling_sizes = config.sampling_sizes;
  }

  for (std::size_t i = 0; i < space.ops.size(); ++i)
    for (const OpPlan& choice : space.ops[i].choices)
      if (ops[i].second.empty() && choice.precision == Precision::Int8 &&
          std::find(space.model_choices.begin(), space.model_choices.end(), choice) == space.model_choices.end())
        space.model_choices.push_back(choice);
  return space;
}

}  // namespace lpot
