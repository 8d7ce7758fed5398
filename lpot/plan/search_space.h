// What a search may choose from: for every quantizable op its schemes, and the recipes of the whole model.
//
//   PlanChoices choices = allowed_choices(ops, config.quantization, recipe_declarations(), half_range).value;
//   Plan everything_in_int8 = first_plan(choices);
//   SearchSpace space = make_search_space(with_kernel_variants(choices, variants, true), variants, noise);
//
// `PlanChoices` follows from the configuration and the capability table alone. A `SearchSpace` adds what was measured;
// it is built once, after the measurements, and does not change.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/with_warnings.h"
#include "lpot/plan/capability.h"
#include "lpot/plan/kernel_variants.h"
#include "lpot/plan/plan.h"

namespace lpot {

struct OpSpace {
  std::string name;
  std::string type;
  std::vector<OpPlan> choices;  // int8 choices in order of preference, then fp32 unless the configuration forbids it

  bool can_fall_back() const { return !choices.empty() && choices.back().precision == Precision::Fp32; }
  const OpPlan& most_like(const OpPlan& wanted) const;  // of the choices; the preferred one among equals
};

struct PlanChoices {
  std::vector<OpSpace> ops;             // in topological order
  std::vector<OpPlan> model_choices;    // the int8 schemes that a whole model may take, in order of preference
  std::vector<Recipes> recipes = {{}};  // of the whole model, in order of preference
  std::vector<std::size_t> sampling_sizes = {0};  // snapshots of the statistics to choose from; 0: the only one

  // Every op with `choice`, or the choice of its own that is most like it; ops named in `fallback` in fp32.
  Plan plan(const OpPlan& choice, const std::vector<std::string>& fallback = {}) const;
  bool contains(const Plan&) const;
};

// What the configuration allows. Throws ConfigError, with near names, for an op_wise key that matches nothing, for
// restrictions that leave an op no choice at all, and for a recipe that is not declared.
WithWarnings<PlanChoices> allowed_choices(const std::vector<QuantizableOp>&, const QuantizationConfig&,
                                          const RecipeDeclarations&, bool half_range);

// The first plan of a search: every op in its preferred int8 scheme.
Plan first_plan(const PlanChoices&);

struct SearchSpace : PlanChoices {
  std::map<std::string, double> saved_ms = {};  // by int8 against fp32, of one inference; empty: not measured
  std::map<std::string, double> noise = {};     // expected share of an op's output (quantize/noise.h); empty: unknown
};

// The choices with the measured kernel variant of every op. With `drop_slower`, ops that are slower in int8 keep only
// fp32 where they may have it.
PlanChoices with_kernel_variants(PlanChoices, const KernelVariantChoice&, bool drop_slower);

// `choices`: with the variants already. `noise`: by op.
SearchSpace make_search_space(PlanChoices choices, const KernelVariantChoice&, std::map<std::string, double> noise);

}  // namespace lpot
