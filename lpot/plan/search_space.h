// The choices of a search: the schemes of every quantizable op, and the recipes of the whole model.
//
//   PlanChoices choices = allowed_choices(ops, config.quantization, recipe_declarations(), half_range).value;
//   Plan everything_in_int8 = first_plan(choices);
//   SearchSpace space = build_search_space(with_kernel_variants(choices, variants, true), variants, noise);
//
// `PlanChoices` depends only on the configuration and the capability table. A `SearchSpace` also contains the measured
// latencies and noise. It is built once, after these measurements, and does not change.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/lazy.h"
#include "lpot/core/with_warnings.h"
#include "lpot/plan/capability.h"
#include "lpot/plan/kernel_variants.h"
#include "lpot/plan/plan.h"

namespace lpot {

struct OpSpace {
  std::string name;
  std::string type;
  // Int8 choices in order of preference, then the unquantized choice unless the configuration forbids it.
  std::vector<OpPlan> choices;

  // Int8 choices that only strategies use that rank plans before they try them: range estimators that the configuration
  // does not name.
  std::vector<OpPlan> more_choices = {};

  bool can_fall_back() const { return !choices.empty() && !choices.back().is_int8(); }
  const OpPlan& most_similar(const OpPlan& wanted) const;  // the first of several equally similar choices
  // The same, but `wanted` itself if it is one of more_choices.
  const OpPlan& most_similar_of_all(const OpPlan& wanted) const;
};

struct PlanChoices {
  std::vector<OpSpace> ops;                       // in topological order
  std::vector<OpPlan> model_choices;              // the int8 schemes for the whole model, in order of preference
  std::vector<OpPlan> more_model_choices = {};    // the same from OpSpace::more_choices
  std::vector<Recipes> recipes = {{}};            // of the whole model; the order is that of recipe_choices
  std::vector<std::size_t> sampling_sizes = {0};  // snapshots of the statistics to choose from; 0: there is only one
  InferencePrecision inference_precision = InferencePrecision::F32;  // of all plans
  // Only with Bf16 or F16: ops for which the configuration allows fp32, but not the 16-bit type. During a search, their
  // unquantized choice is the 16-bit type like that of all other ops. with_f32_ops changes it to f32 in the final plan.
  std::vector<std::string> f32_ops = {};

  // A plan in which every op uses `choice`, or the choice of that op that is most similar to it. Ops in `fallback` are
  // not quantized.
  Plan plan(const OpPlan& choice, const std::vector<std::string>& fallback = {}) const;
  bool contains(const Plan&) const;
};

// The choices that the configuration allows. Throws ConfigError for an op_wise key that matches no op, for restrictions
// that leave no choice for an op, and for a recipe that is not declared.
WithWarnings<PlanChoices> allowed_choices(const std::vector<QuantizableOp>&, const QuantizationConfig&,
                                          const RecipeDeclarations&, bool half_range,
                                          InferencePrecision = InferencePrecision::F32);

// The same choices, but everything that is not int8 runs in f32.
PlanChoices in_f32(PlanChoices);

// The plan in which those `f32_ops` that are not int8 run in f32.
Plan with_f32_ops(Plan, const PlanChoices&);

// Whether the configuration allows the model without int8, that is, whether all ops may fall back.
bool may_be_unquantized(const PlanChoices&);
// The plan of the model without int8.
Plan unquantized_plan(const PlanChoices&);

// The first plan of a search: every op in its preferred int8 scheme.
Plan first_plan(const PlanChoices&);

struct SearchSpace : PlanChoices {
  // By op: the time that int8 saves in one inference; negative: int8 is slower. Empty: not measured.
  std::map<std::string, double> saved_ms = {};
  std::map<std::string, double> noise = {};  // expected noise-to-signal ratio by op (quantize/noise.h); empty: unknown
  // By op: the range estimator with the least expected error (quantize/range_choice.h). Empty: unknown. They take long
  // to compute, and a search that ends with its first plan does not need them.
  Lazy<std::map<std::string, Algorithm>> estimators = {};
  // Speed-up of the model without int8, in the inference precision of the space, against f32. This is the upper end of
  // the confidence interval; 1: not measured.
  double unquantized_speedup = 1;
};

// Sets the measured kernel variant of every op. With `drop_slower`, ops that are slower in int8 keep only the
// unquantized choice, if the configuration allows it.
PlanChoices with_kernel_variants(PlanChoices, const KernelVariantChoice&, bool drop_slower);

// `choices` must come from with_kernel_variants. `noise`: by op.
SearchSpace build_search_space(PlanChoices choices, const KernelVariantChoice&, std::map<std::string, double> noise);

}  // namespace lpot
