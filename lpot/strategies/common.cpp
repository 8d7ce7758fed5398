#include "lpot/strategies/common.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lpot/core/error.h"

namespace lpot {
namespace {

constexpr int kMaxDraws = 200;        // random plans that are drawn to find a new one
constexpr double kMaxLossRatio = 10;  // in units of the allowed loss; larger losses count as equal

}  // namespace

Plan WholeModelPlan::plan(const SearchSpace& space) const {
  Plan plan = space.plan(choice);
  plan.recipes = recipes;
  plan.sampling_size = sampling_size;
  return plan;
}

Plan SchemeAndRecipes::plan(const SearchSpace& space) const {
  Plan plan;
  plan.recipes = recipes;
  plan.sampling_size = sampling_size;
  plan.inference_precision = space.inference_precision;
  for (const OpSpace& op : space.ops) {
    OpPlan wanted = choice;
    if (mixed) {
      const auto& estimators = space.estimators.get();
      if (const auto best = estimators.find(op.name); best != estimators.end())
        wanted.activation.algorithm = best->second;
    }
    plan.ops[op.name] = op.most_similar_of_all(wanted);
  }
  return plan;
}

std::vector<WholeModelPlan> whole_model_plans(const SearchSpace& space) {
  std::vector<PlanKey> op_keys(space.model_choices.size());
  std::vector<bool> any_int8(space.model_choices.size(), false);
  // Visits each op once, because the choices of many ops do not fit into the CPU cache.
  for (const OpSpace& op : space.ops)
    for (std::size_t i = 0; i < op_keys.size(); ++i) {
      const OpPlan& chosen = op.most_similar(space.model_choices[i]);
      op_keys[i] = op_keys[i].with(op.name, chosen);
      if (chosen.is_int8()) any_int8[i] = true;
    }
  std::vector<WholeModelPlan> plans;
  const Recipes& recipes = space.recipes.front();
  for (const std::size_t sampling_size : space.sampling_sizes)
    for (std::size_t i = 0; i < op_keys.size(); ++i) {
      const PlanKey key = key_of(Plan{{}, recipes, sampling_size, space.inference_precision}).with(op_keys[i]);
      const bool known =
          std::any_of(plans.begin(), plans.end(), [&](const WholeModelPlan& other) { return other.key == key; });
      if (any_int8[i] && !known) plans.push_back({space.model_choices[i], recipes, sampling_size, key});
    }
  return plans;
}

std::optional<Step> first_untried(const std::vector<WholeModelPlan>& plans, const SearchSpace& space,
                                  const History& history) {
  for (const WholeModelPlan& candidate : plans)
    if (!history.find(candidate.key)) return Step{candidate.plan(space)};
  return std::nullopt;
}

const Trial* most_accurate(const std::vector<WholeModelPlan>& plans, const History& history) {
  const Trial* best = nullptr;
  for (const WholeModelPlan& candidate : plans) {
    const Trial* trial = history.find(candidate.key);
    if (!trial || !trial->result) continue;
    if (!best || history.goal.closer(trial->result->accuracy, best->result->accuracy)) best = trial;
  }
  return best;
}

FallbackStart find_fallback_start(const SearchSpace& space, const History& history) {
  const std::vector<WholeModelPlan> plans = whole_model_plans(space);
  if (auto step = first_untried(plans, space, history)) return {.step = std::move(step)};
  const Trial* best = most_accurate(plans, history);
  const bool can_fall_back = best && best->plan.int8_count() > 1;  // at least one op stays in int8
  return {.trial = can_fall_back ? best : nullptr};
}

Plan with_fallback(Plan plan, const std::string& op) {
  plan.ops.at(op) = OpPlan{.precision = unquantized(plan.inference_precision)};
  return plan;
}

PlanKey key_with_fallback(const Plan& plan, PlanKey key, const std::string& op) {
  return key.with(op, plan.ops.at(op), OpPlan{.precision = unquantized(plan.inference_precision)});
}

std::vector<std::string> ops_to_fall_back(const SearchSpace& space, const Plan& plan) {
  std::vector<std::string> names;
  for (const OpSpace& op : space.ops)
    if (op.can_fall_back() && plan.ops.at(op.name).is_int8()) names.push_back(op.name);
  return names;
}

std::optional<Step> next_combined_fallback(const Plan& start, const std::vector<std::string>& ops,
                                           const History& history) {
  PlanKey key = key_of(start);
  const std::size_t most = start.int8_count();
  for (std::size_t count = 1; count <= ops.size() && count < most; ++count) {
    key = key_with_fallback(start, key, ops[count - 1]);
    if (history.find(key)) continue;
    Plan plan = start;
    for (std::size_t i = 0; i < count; ++i) plan = with_fallback(std::move(plan), ops[i]);
    return Step{std::move(plan)};
  }
  return std::nullopt;
}

Plan random_plan(const SearchSpace& space, RandomGenerator& draws) {
  Plan plan;
  plan.inference_precision = space.inference_precision;
  plan.recipes = space.recipes.front();
  plan.sampling_size = space.sampling_sizes[draws.below(space.sampling_sizes.size())];
  for (const OpSpace& op : space.ops) plan.ops[op.name] = op.choices[draws.below(op.choices.size())];
  return plan;
}

void check_number_of_ops(const Trial& trial, const SearchSpace& space) {
  if (trial.plan.ops.size() != space.ops.size())
    throw StoreError("tune", fmt::format("the ops of trial {} differ from the ops of the model", trial.number));
}

RandomGenerator generator_for(const History& history, const char* strategy) {
  return RandomGenerator(mix(history.random_seed) ^ mix(history.trials.size()), strategy);
}

std::optional<Plan> random_untried_plan(const SearchSpace& space, const History& history, RandomGenerator& draws) {
  if (space.model_choices.empty()) return std::nullopt;
  for (int i = 0; i < kMaxDraws; ++i) {
    Plan plan = random_plan(space, draws);
    if (plan.int8_count() > 0 && !history.find(plan)) return plan;
  }
  return std::nullopt;
}

double utility(const Trial& trial, const Goal& goal, const Weights& weights) {
  if (!trial.result) return -kMaxLossRatio * weights.accuracy;
  const Measurement& result = *trial.result;
  if (goal.met(result.accuracy)) return weights.speed * result.speedup;
  const double allowed = std::max(goal.allowed_loss(), 1e-6);
  const double excess_loss =
      std::clamp((goal.loss(result.accuracy) - goal.allowed_loss()) / allowed, 0.0, kMaxLossRatio);
  return -weights.accuracy * excess_loss;
}

}  // namespace lpot
