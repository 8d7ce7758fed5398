// What strategies share.
#pragma once
#include <string>
#include <vector>

#include "lpot/core/random.h"
#include "lpot/strategies/strategy.h"

namespace lpot {

// A plan for the whole model that is not made: a history is asked for it by its key.
struct Scheme {
  OpPlan choice;  // of every op, or what is most like it
  Recipes recipes = {};
  std::size_t sampling_size = 0;
  PlanKey key = {};

  Plan plan(const SearchSpace&) const;
};

// The whole model in each scheme that the config allows, in order of preference, for each sampling size.
std::vector<Scheme> schemes_of(const SearchSpace&);

// The first of them that was not tried yet.
std::optional<Step> untried(const std::vector<Scheme>&, const SearchSpace&, const History&);

// The most accurate trial among them, or nullptr when all failed.
const Trial* most_accurate(const std::vector<Scheme>&, const History&);

Plan with_fallback(Plan, const std::string& op);

// The key of with_fallback(plan, op), without making it; `key` is that of `plan`.
PlanKey key_with_fallback(const Plan& plan, PlanKey key, const std::string& op);

// Ops that `plan` runs in int8 and that may fall back, in topological order.
std::vector<std::string> ops_to_fall_back(const SearchSpace&, const Plan&);

// The ops of this order back to fp32, one more at each step: the first plan that was not tried, as long as an op stays
// in int8.
std::optional<Step> next_together(const Plan&, const std::vector<std::string>& ops, const History&);

// One of each op's choices, each as probable as the others; at least one op in int8 where that is possible.
Plan random_plan(const SearchSpace&, Draws&);

// Draws for the next trial of a history.
Draws draws_for(const History&, const char* strategy);

// A random plan that is not in the history; nothing when many draws find none.
std::optional<Plan> new_random_plan(const SearchSpace&, const History&, Draws&);

// How good a trial is in one number: up to 0 as far as it is short of the goal, in units of the loss that is allowed,
// and above 0 by its speed-up once it meets the goal. A trial that failed is as bad as can be.
struct Weights {
  double accuracy = 1;
  double speed = 1;
};
double utility(const Trial&, const Goal&, const Weights& = {});

}  // namespace lpot
