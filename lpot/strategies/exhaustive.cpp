// exhaustive: tries every combination of the choices of all ops. Combinations are numbered like a counter whose digits
// are the choices: the last op changes fastest, and digit 0 is the preferred choice. After n trials, number n is next.
#include <algorithm>

#include "lpot/strategies/common.h"
#include "lpot/strategies/kinds.h"

namespace lpot {
namespace {

class Exhaustive : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    if (space.model_choices.empty()) return std::nullopt;
    // The unquantized op is always the last choice of an op, so only the last combination of a sampling size can be
    // without int8.
    for (std::size_t number = count_of_space(space, history);; ++number) {
      const auto plan = combination(space, number);
      if (!plan) return std::nullopt;
      if (plan->int8_count() > 0 && !history.find(*plan)) return Step{*plan};
    }
  }
  bool needs_scores() const override { return false; }

 private:
  // The trials of this search space. Trials without int8 or with another inference precision are no combinations.
  static std::size_t count_of_space(const SearchSpace& space, const History& history) {
    return static_cast<std::size_t>(
        std::count_if(history.trials.begin(), history.trials.end(), [&](const Trial& trial) {
          return trial.plan.inference_precision == space.inference_precision &&
                 std::any_of(trial.plan.ops.begin(), trial.plan.ops.end(),
                             [](const auto& op) { return op.second.is_int8(); });
        }));
  }

  // The combination with that number; nullopt if the number is too large.
  static std::optional<Plan> combination(const SearchSpace& space, std::size_t number) {
    Plan plan;
    plan.inference_precision = space.inference_precision;
    plan.recipes = space.recipes.front();
    for (auto op = space.ops.rbegin(); op != space.ops.rend(); ++op) {
      plan.ops[op->name] = op->choices[number % op->choices.size()];
      number /= op->choices.size();
    }
    if (number >= space.sampling_sizes.size()) return std::nullopt;
    plan.sampling_size = space.sampling_sizes[number];
    return plan;
  }
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive_strategy() { return std::make_unique<Exhaustive>(); }

}  // namespace lpot
