// Functions that several strategies use.
#pragma once
#include <string>
#include <vector>

#include "lpot/core/random.h"
#include "lpot/strategies/strategy.h"

namespace lpot {

// A plan for the whole model that is not built yet. Its key is enough to look it up in a history.
struct WholeModelPlan {
  OpPlan choice;  // for every op; an op without this choice uses its most similar one
  Recipes recipes = {};
  std::size_t sampling_size = 0;
  PlanKey key = {};

  Plan plan(const SearchSpace&) const;
};

// The plan of that scheme and these recipes. Also uses schemes of `more_model_choices`.
struct SchemeAndRecipes {
  OpPlan choice;
  bool mixed = false;  // each op has its own range estimator (SearchSpace::estimators) instead of that of `choice`
  Recipes recipes = {};
  std::size_t sampling_size = 0;

  Plan plan(const SearchSpace&) const;
};

// One plan for each allowed scheme and sampling size, in order of preference.
std::vector<WholeModelPlan> whole_model_plans(const SearchSpace&);

// A step that tries the first plan without a trial.
std::optional<Step> first_untried(const std::vector<WholeModelPlan>&, const SearchSpace&, const History&);

// The most accurate trial of the plans, or nullptr if all failed.
const Trial* most_accurate(const std::vector<WholeModelPlan>&, const History&);

// The start of a strategy that first tries all whole-model plans and then reverts ops of the most accurate one.
struct FallbackStart {
  std::optional<Step> step = {};  // the next whole-model plan; unset with `trial` unset: no plan is left
  const Trial* trial = nullptr;   // the most accurate whole-model plan, once all are tried
};
FallbackStart find_fallback_start(const SearchSpace&, const History&);

Plan with_fallback(Plan, const std::string& op);

// The key of with_fallback(plan, op), without building that plan. `key` is the key of `plan`.
PlanKey key_with_fallback(const Plan& plan, PlanKey key, const std::string& op);

// The ops that run in int8 in `plan` and may fall back, in topological order.
std::vector<std::string> ops_to_fall_back(const SearchSpace&, const Plan&);

// Reverts the first 1, 2, 3, ... of `ops` to fp32 and returns the first such plan without a trial. At least one op
// stays in int8.
std::optional<Step> next_combined_fallback(const Plan&, const std::vector<std::string>& ops, const History&);

// A plan with a random choice for each op. All choices have the same probability.
Plan random_plan(const SearchSpace&, RandomGenerator&);

// Throws StoreError if the plan of the trial has another number of ops than the space.
void check_number_of_ops(const Trial&, const SearchSpace&);

// Random numbers for the next trial of a history.
RandomGenerator generator_for(const History&, const char* strategy);

// A random plan with at least one int8 op that is not in the history; nullopt if many draws find none.
std::optional<Plan> random_untried_plan(const SearchSpace&, const History&, RandomGenerator&);

// Rates a trial with one number. A trial that meets the goal gets its speedup. Other trials get a negative number: the
// loss beyond the goal in units of the allowed loss. Failed trials get the lowest number.
struct Weights {
  double accuracy = 1;
  double speed = 1;
};
double utility(const Trial&, const Goal&, const Weights& = {});

}  // namespace lpot
