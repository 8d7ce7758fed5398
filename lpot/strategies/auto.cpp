// auto: meets the goal with as few evaluations as possible.
//
// A trial evaluates a plan on all data. A probe only measures, on a few samples, the distance of the outputs from the
// outputs of the fp32 model. Probes are cheap, so the strategy uses them to find plans that are worth a trial.
//
// Steps. Each is explained at the function that implements it.
// 1. Try the preferred scheme for the whole model.               search_for_goal
// 2. Probe the other schemes and recipes, choose a start plan.   choose_start
// 3. Find the fewest ops that must fall back to fp32.            choose_fallback (auto_fallback.h)
// 4. Try the plan. If it fails, go on with step 3 from there.    search_for_goal
// 5. With a time budget, return ops to int8.                     return_ops_to_int8
//
// Cost: one evaluation if the first plan meets the goal, else a few more. Evaluations that fail end early.
#include <algorithm>

#include "lpot/strategies/auto_fallback.h"
#include "lpot/strategies/kinds.h"

namespace lpot {
namespace {

constexpr std::size_t kMaxSchemes = 6;

// Plans for the whole model: the preferred scheme first, then other recipes, then other schemes.
std::vector<WholeModelPlan> plans_with_recipes(const SearchSpace& space) {
  std::vector<WholeModelPlan> schemes = whole_model_plans(space);
  if (schemes.empty()) return schemes;
  const WholeModelPlan first = schemes.front();
  const auto without_ops = [&](const Recipes& recipes) {
    return key_of(Plan{{}, recipes, first.sampling_size, space.inference_precision});
  };
  const PlanKey of_ops{first.key.sum - without_ops(first.recipes).sum};
  std::vector<WholeModelPlan> plans{first};
  for (std::size_t i = 1; i < space.recipes.size(); ++i) {
    plans.push_back(first);
    plans.back().recipes = space.recipes[i];
    plans.back().key = without_ops(space.recipes[i]).with(of_ops);
  }
  plans.insert(plans.end(), schemes.begin() + 1, schemes.end());
  if (plans.size() > kMaxSchemes) plans.erase(plans.begin() + kMaxSchemes, plans.end());
  return plans;
}

// Computes one step of the strategy.
class Search {
 public:
  Search(const SearchSpace& space, const History& history)
      : space_(space), history_(history), replay_(space, history) {}

  std::optional<Step> step() {
    if (history_.met()) {
      if (history_.has_budget) return_ops_to_int8();
    } else {
      search_for_goal();
    }
    return replay_.step();
  }

 private:
  const Trial* trial(const WholeModelPlan& scheme) {
    return replay_.trial(scheme.key, [&] { return scheme.plan(space_); });
  }

  std::optional<double> distance(const WholeModelPlan& scheme, std::size_t ahead) {
    return replay_.distance(scheme.key, ahead, [&] { return scheme.plan(space_); });
  }

  // Step 1: try the preferred scheme for the whole model. If it meets the goal, the search ends.
  // Step 4: try the plan with the fallback ops of step 3. If it fails, its loss and distance give a better estimate of
  // the target distance, and the next round of step 3 starts from this plan.
  void search_for_goal() {
    const std::vector<WholeModelPlan> plans = plans_with_recipes(space_);
    if (plans.empty() || !trial(plans.front())) return;
    const Trial* start = choose_start(plans);
    if (!start) return;
    for (StartingPlan current(start->plan);;) {
      const auto fallback = choose_fallback(replay_, current);
      if (!fallback || fallback->empty()) return;
      current = StartingPlan(current.without(*fallback));
      if (!replay_.trial(current.key, [&] { return current.plan; })) return;
    }
  }

  // Step 2: choose the plan that ops fall back from. Probes all whole-model plans. The plan closest to fp32 is tried if
  // it may meet the goal, or if it is as close as the first plan with the fallback ops of step 3. Otherwise the first
  // plan is the start.
  const Trial* choose_start(const std::vector<WholeModelPlan>& plans) {
    const WholeModelPlan& first = plans.front();
    const Trial* tried_first = history_.find(first.key);
    if (!tried_first->result) return first_successful(plans);
    const auto before = distance(first, plans.size() - 1);
    if (!before) return nullptr;
    const WholeModelPlan* nearest = nullptr;
    double least = *before;
    for (std::size_t i = 1; i < plans.size(); ++i) {
      const auto found = distance(plans[i], plans.size() - 1 - i);
      if (!found) return nullptr;
      if (*found < least) {
        least = *found;
        nearest = &plans[i];
      }
    }
    if (!nearest) return tried_first;
    const bool may_meet_goal = least <= kSimilarDistance * target_distance(history_, first.key, *before);
    if (may_meet_goal && !trial(*nearest)) return nullptr;
    const StartingPlan current(tried_first->plan);
    const auto fallback = choose_fallback(replay_, current);
    if (!fallback) return nullptr;
    const auto with = distance_without(replay_, current, *fallback);
    if (!with) return nullptr;
    if (least > kSimilarDistance * *with) return tried_first;
    const Trial* tried = trial(*nearest);
    if (!tried) return nullptr;
    return tried->result ? tried : tried_first;
  }

  const Trial* first_successful(const std::vector<WholeModelPlan>& plans) {
    for (const WholeModelPlan& plan : plans) {
      const Trial* tried = trial(plan);
      if (!tried || tried->result) return tried;
    }
    return nullptr;
  }

  // Step 5: with a time budget, once the goal is met. Takes the fastest trial that meets the goal and returns one more
  // op to int8, the op that saves most time first.
  void return_ops_to_int8() {
    const Trial* best = nullptr;
    for (const Trial& each : history_.trials)
      if (each.result && history_.goal.met(each.result->accuracy) &&
          (!best || each.result->speedup > best->result->speedup))
        best = &each;
    struct Candidate {
      std::string op;
      OpPlan choice;
      double saved_ms;
    };
    std::vector<Candidate> candidates;
    const Plan whole = plans_with_recipes(space_).front().plan(space_);
    for (const std::string& op : best->plan.fallback()) {
      const OpPlan& choice = whole.ops.at(op);
      if (!choice.is_int8()) continue;
      candidates.push_back({op, choice, saved_ms(space_, op)});
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.saved_ms > b.saved_ms; });
    const PlanKey key = key_of(best->plan);
    for (const auto& [op, choice, saved] : candidates) {
      const auto returned_plan = [&, &op = op, &choice = choice] {
        Plan plan = best->plan;
        plan.ops.at(op) = choice;
        return plan;
      };
      if (saved >= 0 && !replay_.trial(key.with(op, best->plan.ops.at(op), choice), returned_plan)) return;
    }
  }

  const SearchSpace& space_;
  const History& history_;
  Replay replay_;
};

class Auto : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    return Search(space, history).step();
  }
  bool needs_scores() const override { return false; }
};

}  // namespace

std::unique_ptr<Strategy> make_auto_strategy() { return std::make_unique<Auto>(); }

}  // namespace lpot
