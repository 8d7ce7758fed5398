// basic: the search that LPOT's users know (LPOT 1.x, strategy/basic.py), as a pure function of the history.
//
// 1. The whole model in each scheme that the config allows, in order of preference, for each sampling size.
// 2. From the most accurate of these: each op alone back to fp32, from the model's end to its beginning.
// 3. The ops of step 2 together, the most helpful first: two of them, three, and so on.
// Cost: schemes + ops + ops trials when nothing passes.
#include <algorithm>

#include "lpot/tune/strategy.h"

namespace lpot {
namespace {

// The most accurate trial among those of `plans`, or nullptr when all failed.
const Trial* most_accurate(const std::vector<Plan>& plans, const History& history) {
  const Trial* best = nullptr;
  for (const Plan& plan : plans) {
    const Trial* trial = history.find(plan);
    if (!trial || !trial->result) continue;
    if (!best || history.goal.closer(trial->result->accuracy, best->result->accuracy)) best = trial;
  }
  return best;
}

std::vector<Plan> scheme_plans(const SearchSpace& space) {
  std::vector<Plan> plans;
  for (const std::size_t sampling_size : space.sampling_sizes)
    for (const OpPlan& choice : space.model_choices) {
      Plan plan = space.plan(choice);
      plan.sampling_size = sampling_size;
      if (plan.int8_count() > 0 && std::find(plans.begin(), plans.end(), plan) == plans.end())
        plans.push_back(std::move(plan));
    }
  return plans;
}

Plan with_fallback(Plan plan, const std::string& op) {
  plan.ops.at(op) = OpPlan{Precision::Fp32, {}, {}};
  return plan;
}

// Ops that `plan` runs in int8 and that may fall back, from the model's end to its beginning.
std::vector<std::string> candidates(const SearchSpace& space, const Plan& plan) {
  std::vector<std::string> names;
  for (auto op = space.ops.rbegin(); op != space.ops.rend(); ++op)
    if (op->can_fall_back() && plan.ops.at(op->name).precision == Precision::Int8) names.push_back(op->name);
  return names;
}

class Basic : public Strategy {
 public:
  std::optional<Plan> next(const SearchSpace& space, const History& history) const override {
    const std::vector<Plan> schemes = scheme_plans(space);
    for (const Plan& plan : schemes)
      if (!history.find(plan)) return plan;

    const Trial* start = most_accurate(schemes, history);
    if (!start) return std::nullopt;
    struct Fallback {
      std::string op;
      const Trial* trial;
    };
    std::vector<Fallback> singles;
    for (const std::string& op : candidates(space, start->plan)) {
      const Plan plan = with_fallback(start->plan, op);
      if (plan.int8_count() == 0) continue;
      const Trial* trial = history.find(plan);
      if (!trial) return plan;
      if (trial->result) singles.push_back({op, trial});
    }

    std::stable_sort(singles.begin(), singles.end(), [&](const Fallback& a, const Fallback& b) {
      return history.goal.closer(a.trial->result->accuracy, b.trial->result->accuracy);
    });
    Plan together = start->plan;
    for (const Fallback& single : singles) {
      together = with_fallback(together, single.op);
      if (together.int8_count() == 0) break;
      if (!history.find(together)) return together;
    }
    return std::nullopt;
  }
};

}  // namespace

std::unique_ptr<Strategy> make_basic_strategy() { return std::make_unique<Basic>(); }

}  // namespace lpot
