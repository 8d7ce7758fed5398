#include "lpot/plan/search_space.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/plan/op_keys.h"
#include "lpot/plan/recipe_choices.h"

namespace lpot {
namespace {

template <typename Word>
bool allows(const std::vector<Word>& list, Word word) {
  return list.empty() || std::find(list.begin(), list.end(), word) != list.end();
}

// The weight scheme of a MatMul of two activations and of a recurrent sequence. It is constant, so that weight
// restrictions have no effect on it.
constexpr TensorScheme kFixedWeights{Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 8};

// Asymmetric activations are stored as uint8, symmetric ones as int8 (or uint8 if no value is negative). If the
// configuration names the scheme, both types mean 8 bits.
bool allows_stored_type(const TensorRestriction& activation, Symmetry symmetry) {
  if (!activation.symmetries.empty())
    return allows(activation.precisions, Precision::Int8) || allows(activation.precisions, Precision::Uint8);
  return allows(activation.precisions, symmetry == Symmetry::Asymmetric ? Precision::Uint8 : Precision::Int8);
}

bool allows_choice(const OpRestriction& restriction, const OpPlan& choice) {
  const TensorRestriction& activation = restriction.activation;
  const TensorRestriction& weight = restriction.weight;
  if (!choice.is_int8())
    return allows(activation.precisions, choice.precision) && allows(weight.precisions, choice.precision);
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

// What an op may be if it is not quantized. In f32 models, a configuration with bf16 means fp32.
const std::vector<OpPlan> kUnquantizedChoices{
    {.precision = Precision::Fp32}, {.precision = Precision::Bf16}, {.precision = Precision::Fp16}};

void append_unquantized(std::vector<OpPlan>& choices) {
  choices.insert(choices.end(), kUnquantizedChoices.begin(), kUnquantizedChoices.end());
}

std::vector<OpPlan> all_choices(const Capability& row, int weight_bits) {
  std::vector<Algorithm> algorithms = row.activation_algorithms;
  algorithms.insert(algorithms.end(), row.algorithms_on_request.begin(), row.algorithms_on_request.end());
  std::vector<OpPlan> choices;
  for (const Granularity granularity : row.weight_granularities)
    for (const Symmetry symmetry : row.activation_symmetries)
      for (const Algorithm algorithm : algorithms)
        for (const Algorithm of_weights : {Algorithm::MinMax, Algorithm::Mse})
          choices.push_back({Precision::Int8,
                             {algorithm, Granularity::PerTensor, symmetry},
                             {of_weights, granularity, Symmetry::Symmetric, weight_bits}});
  append_unquantized(choices);
  return choices;
}

std::vector<OpPlan> weights_only_choices(const Capability& row, int weight_bits) {
  std::vector<OpPlan> choices;
  for (const Granularity granularity : row.weight_granularities)
    for (const Algorithm algorithm : {Algorithm::MinMax, Algorithm::Mse})
      choices.push_back({.precision = Precision::Int8,
                         .weight = {algorithm, granularity, Symmetry::Symmetric, weight_bits},
                         .weights_only = true});
  append_unquantized(choices);
  return choices;
}

// The choices of an op with the fixed weight scheme.
std::vector<OpPlan> fixed_choices(const Capability& row, const std::vector<Symmetry>& symmetries, int weight_bits) {
  std::vector<Algorithm> algorithms = row.activation_algorithms;
  algorithms.insert(algorithms.end(), row.algorithms_on_request.begin(), row.algorithms_on_request.end());
  TensorScheme weights = kFixedWeights;
  weights.bits = weight_bits;
  std::vector<OpPlan> choices;
  for (const Symmetry symmetry : symmetries)
    for (const Algorithm algorithm : algorithms)
      choices.push_back({Precision::Int8, {algorithm, Granularity::PerTensor, symmetry}, weights});
  append_unquantized(choices);
  return choices;
}

// The algorithms that the restrictions of an op name.
struct NamedAlgorithms {
  std::vector<Algorithm> activation;
  std::vector<Algorithm> weight;

  void add(const OpRestriction& restriction) {
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(activation, restriction.activation.algorithms);
    append(weight, restriction.weight.algorithms);
  }
};

// Removes algorithms that are tried only if the configuration names them.
void drop_unnamed_algorithms(OpSpace& op, const Capability& row, const NamedAlgorithms& named) {
  const auto has = [](const std::vector<Algorithm>& list, Algorithm algorithm) {
    return std::find(list.begin(), list.end(), algorithm) != list.end();
  };
  const auto is_unnamed = [&](const OpPlan& choice) {
    if (choice.precision != Precision::Int8) return false;
    const Algorithm activation = choice.activation.algorithm, weight = choice.weight.algorithm;
    return (!choice.weights_only && has(row.algorithms_on_request, activation) && !has(named.activation, activation)) ||
           (weight == Algorithm::Mse && !has(named.weight, weight));
  };
  // A configuration that names estimators allows no others.
  if (named.activation.empty() && named.weight.empty())
    std::copy_if(op.choices.begin(), op.choices.end(), std::back_inserter(op.more_choices), is_unnamed);
  std::erase_if(op.choices, is_unnamed);
}

// Removes settings that no kernel supports and warns about them, as the original LPOT does: weights with a zero point,
// activations with one scale per channel.
WithWarnings<OpRestriction> supported_restriction(OpRestriction restriction, const std::string& where) {
  WithWarnings<OpRestriction> result{std::move(restriction)};
  const auto drop = [&](auto& wanted, auto only, const char* reason) {
    if (allows(wanted, only)) return;
    wanted.clear();
    result.warnings.push_back(fmt::format("{}.{}", where, reason));
  };
  drop(result.value.weight.symmetries, Symmetry::Symmetric,
       "weight.scheme: ignored because int8 weights are always sym");
  drop(result.value.activation.granularities, Granularity::PerTensor,
       "activation.granularity: ignored because int8 activations are always per_tensor");
  return result;
}

void restrict(OpSpace& op, const OpRestriction& restriction, const std::string& where) {
  if (restriction.weight.bits)
    for (OpPlan& choice : op.choices)
      choice.weight.bits = std::min(choice.weight.bits, static_cast<int>(*restriction.weight.bits));
  std::erase_if(op.choices, [&](const OpPlan& choice) { return !allows_choice(restriction, choice); });
  if (op.choices.empty())
    throw ConfigError("quantization",
                      fmt::format("{}: no scheme is left for op '{}' ({}). Supported activations: uint8 asym or int8 "
                                  "sym, minmax, kl, percentile or mse, per_tensor. "
                                  "Supported weights: int8 sym, minmax or mse, per_channel or per_tensor. "
                                  "fp32 and bf16 are supported if both use it.",
                                  where, op.name, op.type));
}

// An op with the fixed weight scheme may always stay in fp32.
void restrict_fixed(OpSpace& op, OpRestriction restriction) {
  TensorRestriction weight;
  weight.precisions = restriction.weight.precisions;
  restriction.weight = weight;
  std::erase_if(op.choices, [&](const OpPlan& choice) { return !allows_choice(restriction, choice); });
  if (op.choices.empty()) op.choices = kUnquantizedChoices;
}

// How similar the schemes of two choices are; -1 if only one is int8.
int similarity(const OpPlan& a, const OpPlan& b) {
  if (a.is_int8() != b.is_int8()) return -1;
  return (a.weight.granularity == b.weight.granularity) * 8 + (a.activation.symmetry == b.activation.symmetry) * 4 +
         (a.activation.algorithm == b.activation.algorithm) * 2 + (a.weight.algorithm == b.weight.algorithm);
}

bool is_weights_only(const QuantizationConfig& config) { return config.approach == Approach::DynamicQuantization; }

std::vector<OpPlan> unrestricted_choices(const QuantizableOp& op, const QuantizationConfig& config, bool half_range) {
  const Capability& row = *find_capability(op.type);
  const bool weights_only = is_weights_only(config);
  const int bits = half_range ? 7 : 8;
  if (!op.second.empty()) {
    // Half-range weights cannot prevent overflow of 16-bit sums in a product, because there are no weights. The loop of
    // a sequence is slower than fp32 on CPUs with such sums.
    const bool needs_full_range = op.sequence != SequenceForm::Kernel;
    const bool may_be_int8 = !weights_only && !(half_range && needs_full_range);
    if (!may_be_int8) return kUnquantizedChoices;
    // The int8 kernel of a product has no zero point.
    return fixed_choices(row, op.sequence ? row.activation_symmetries : std::vector{Symmetry::Symmetric}, bits);
  }
  return weights_only ? weights_only_choices(row, bits) : all_choices(row, bits);
}

// Replaces the unquantized choices that the configuration allows by the one that is used with this inference precision.
// Returns whether the op must be in f32 where it is not int8, although the model is not.
bool choose_unquantized(OpSpace& op, InferencePrecision precision) {
  const bool allows_wanted = std::any_of(op.choices.begin(), op.choices.end(), [&](const OpPlan& choice) {
    return choice.precision == unquantized(precision);
  });
  const std::size_t before = op.choices.size();
  std::erase_if(op.choices, [](const OpPlan& choice) { return !choice.is_int8(); });
  if (op.choices.size() == before) return false;
  const bool is_quantizable = !op.choices.empty();
  const bool only_f32 = !allows_wanted && precision != InferencePrecision::F32;
  op.choices.push_back({.precision = only_f32 && !is_quantizable ? Precision::Fp32 : unquantized(precision)});
  return only_f32 && is_quantizable;
}

// Applies the restrictions of the configuration to the choices of all ops, one after the other.
class ChoiceRestrictor {
 public:
  ChoiceRestrictor(const std::vector<QuantizableOp>& ops, const QuantizationConfig& config, bool half_range)
      : source_(ops), named_(ops.size()) {
    for (const QuantizableOp& op : ops)
      ops_.push_back({op.name, op.type, unrestricted_choices(op, config, half_range)});
  }

  void apply(std::size_t i, const OpRestriction& restriction, const std::string& where) {
    if (source_[i].second.empty())
      restrict(ops_[i], restriction, where);
    else
      restrict_fixed(ops_[i], restriction);
    named_[i].add(restriction);
  }

  std::vector<OpSpace> finish() && {
    for (std::size_t i = 0; i < ops_.size(); ++i)
      drop_unnamed_algorithms(ops_[i], *find_capability(source_[i].type), named_[i]);
    return std::move(ops_);
  }

 private:
  const std::vector<QuantizableOp>& source_;
  std::vector<OpSpace> ops_;
  std::vector<NamedAlgorithms> named_;
};

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

WithWarnings<std::vector<OpSpace>> op_choices(const std::vector<QuantizableOp>& ops, const QuantizationConfig& config,
                                              bool half_range) {
  WithWarnings<std::vector<OpSpace>> result;
  ChoiceRestrictor restricted(ops, config, half_range);
  const auto model_wise = supported_restriction(config.model_wise, "quantization.model_wise");
  append(result.warnings, model_wise.warnings);
  for (std::size_t i = 0; i < ops.size(); ++i) restricted.apply(i, model_wise.value, "quantization.model_wise");
  std::vector<OpInfo> known;
  for (const QuantizableOp& op : ops) known.push_back({op.name, op.type});
  for (const auto& [key, wanted] : config.op_wise) {
    const std::string where = to_string(wanted.place) + ": quantization.op_wise";
    const auto restriction = supported_restriction(wanted, where + "." + key);
    const auto places = ops_for_key(known, key, wanted.place);
    append(result.warnings, restriction.warnings);
    append(result.warnings, places.warnings);
    for (const std::size_t i : places.value) restricted.apply(i, restriction.value, where);
  }
  result.value = std::move(restricted).finish();
  if (!config.recipes.first_conv_or_matmul_quantization && !result.value.empty())
    result.value.front().choices = kUnquantizedChoices;
  return result;
}

// The int8 schemes of all ops with weights, without duplicates. Sequences have few schemes, so theirs count only if no
// other op has weights.
std::vector<OpPlan> model_choices_of(const std::vector<QuantizableOp>& ops, const std::vector<OpSpace>& spaces,
                                     std::vector<OpPlan> OpSpace::*choices) {
  std::vector<OpPlan> all;
  const auto add_choices = [&](bool of_sequences) {
    for (std::size_t i = 0; i < spaces.size(); ++i)
      for (const OpPlan& choice : spaces[i].*choices)
        if (!ops[i].is_product() && ops[i].sequence.has_value() == of_sequences && choice.is_int8() &&
            std::find(all.begin(), all.end(), choice) == all.end())
          all.push_back(choice);
  };
  add_choices(false);
  if (all.empty()) add_choices(true);
  return all;
}

}  // namespace

const OpPlan& OpSpace::most_similar(const OpPlan& wanted) const {
  return *std::max_element(choices.begin(), choices.end(), [&](const OpPlan& a, const OpPlan& b) {
    return similarity(a, wanted) < similarity(b, wanted);
  });
}

const OpPlan& OpSpace::most_similar_of_all(const OpPlan& wanted) const {
  const OpPlan& similar = most_similar(wanted);
  if (!similar.is_int8() || more_choices.empty()) return similar;
  const OpPlan* best = &similar;
  for (const OpPlan& choice : more_choices)
    if (similarity(choice, wanted) > similarity(*best, wanted)) best = &choice;
  return *best;
}

Plan PlanChoices::plan(const OpPlan& choice, const std::vector<std::string>& fallback) const {
  Plan plan;
  plan.recipes = recipes.front();
  plan.inference_precision = inference_precision;
  for (const OpSpace& op : ops) {
    const bool to_fp32 = op.can_fall_back() && std::find(fallback.begin(), fallback.end(), op.name) != fallback.end();
    plan.ops[op.name] = to_fp32 ? op.choices.back() : op.most_similar(choice);
  }
  return plan;
}

bool PlanChoices::contains(const Plan& plan) const {
  return plan.inference_precision == inference_precision &&
         std::find(recipes.begin(), recipes.end(), plan.recipes) != recipes.end() && plan.ops.size() == ops.size() &&
         std::all_of(ops.begin(), ops.end(), [&](const OpSpace& op) {
           const auto found = plan.ops.find(op.name);
           if (found == plan.ops.end()) return false;
           const auto has = [&](const std::vector<OpPlan>& all) {
             return std::find(all.begin(), all.end(), found->second) != all.end();
           };
           return has(op.choices) || has(op.more_choices);
         });
}

WithWarnings<PlanChoices> allowed_choices(const std::vector<QuantizableOp>& ops, const QuantizationConfig& config,
                                          const RecipeDeclarations& recipes, bool half_range,
                                          InferencePrecision precision) {
  auto [spaces, warnings] = op_choices(ops, config, half_range);
  PlanChoices choices;
  choices.inference_precision = precision;
  for (OpSpace& op : spaces)
    if (choose_unquantized(op, precision)) choices.f32_ops.push_back(op.name);
  choices.model_choices = model_choices_of(ops, spaces, &OpSpace::choices);
  choices.more_model_choices = model_choices_of(ops, spaces, &OpSpace::more_choices);
  choices.ops = std::move(spaces);
  choices.recipes = recipe_choices(config.recipes, recipes);
  if (is_weights_only(config)) {
    const auto usable = without_range_recipes(choices.recipes.front(), config.recipes, recipes);
    choices.recipes = {usable.value};
    append(warnings, usable.warnings);
  } else if (config.sampling_sizes.size() > 1) {
    choices.sampling_sizes = config.sampling_sizes;
  }
  return {std::move(choices), std::move(warnings)};
}

PlanChoices in_f32(PlanChoices choices) {
  choices.inference_precision = InferencePrecision::F32;
  choices.f32_ops.clear();
  for (OpSpace& op : choices.ops)
    for (OpPlan& choice : op.choices)
      if (!choice.is_int8()) choice.precision = Precision::Fp32;
  return choices;
}

Plan with_f32_ops(Plan plan, const PlanChoices& choices) {
  if (plan.inference_precision == InferencePrecision::F32) return plan;
  for (const std::string& name : choices.f32_ops)
    if (OpPlan& op = plan.ops.at(name); !op.is_int8()) op.precision = Precision::Fp32;
  return plan;
}

bool may_be_unquantized(const PlanChoices& choices) {
  return std::all_of(choices.ops.begin(), choices.ops.end(), [](const OpSpace& op) { return op.can_fall_back(); });
}

Plan unquantized_plan(const PlanChoices& choices) {
  Plan plan;
  plan.inference_precision = choices.inference_precision;
  for (const OpSpace& op : choices.ops)
    plan.ops[op.name] =
        op.can_fall_back() ? op.choices.back() : OpPlan{.precision = unquantized(choices.inference_precision)};
  return plan;
}

Plan first_plan(const PlanChoices& choices) {
  if (choices.model_choices.empty()) return unquantized_plan(choices);
  Plan plan = choices.plan(choices.model_choices.front());
  plan.sampling_size = choices.sampling_sizes.front();
  return plan;
}

PlanChoices with_kernel_variants(PlanChoices choices, const KernelVariantChoice& measured, bool drop_slower) {
  for (OpSpace& op : choices.ops) {
    const auto variant = measured.variants.find(op.name);
    for (auto* of_ops : {&op.choices, &op.more_choices})
      for (OpPlan& of_op : *of_ops)
        if (of_op.is_int8())
          of_op.variant = variant == measured.variants.end() ? KernelVariant::Plain : variant->second;
    const auto& slower = measured.slower_in_int8;
    if (drop_slower && op.can_fall_back() && std::find(slower.begin(), slower.end(), op.name) != slower.end()) {
      op.choices = {op.choices.back()};
      op.more_choices.clear();
    }
  }
  return choices;
}

SearchSpace build_search_space(PlanChoices choices, const KernelVariantChoice& measured,
                               std::map<std::string, double> noise) {
  SearchSpace space{std::move(choices), {}, std::move(noise)};
  for (const auto& [name, times] : measured.times)
    space.saved_ms[name] = times.fp32_ms - (measured.variants.contains(name) ? times.convolution_ms : times.plain_ms);
  return space;
}

}  // namespace lpot
