// exhaustive: every combination of the choices of all ops, like the digits of a counter: the last op changes fastest,
// and each op's first choice is the one that is preferred. The trial after n others is number n.
#include "lpot/strategies/common.h"

namespace lpot {
namespace {

class Exhaustive : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    if (space.model_choices.empty()) return std::nullopt;
    // Choices end with fp32 where it is allowed, so only the very last number of a size may be without int8.
    for (std::size_t number = history.trials.size();; ++number) {
      const auto plan = numbered(space, number);
      if (!plan) return std::nullopt;
      if (plan->int8_count() > 0 && !history.find(*plan)) return Step{*plan};
    }
  }
  bool needs_scores() const override { return false; }

 private:
  // Nothing when there are not so many.
  static std::optional<Plan> numbered(const SearchSpace& space, std::size_t number) {
    Plan plan;
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
