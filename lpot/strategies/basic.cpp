// basic: the search of LPOT 1.x (strategy/basic.py) as a pure function of the history.
//
// 1. Try the whole model in each allowed scheme, in order of preference, for each sampling size.
// 2. Start from the most accurate of these trials. Revert each op alone to fp32, from the last op to the first.
// 3. Revert several ops of step 2 together, the most helpful first: two ops, three ops, and so on.
//
// Cost: schemes + ops + ops trials if no plan meets the goal.
#include <algorithm>

#include "lpot/strategies/common.h"

namespace lpot {
namespace {

class Basic : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    // Step 1.
    const std::vector<Scheme> schemes = schemes_of(space);
    if (auto step = first_untried(schemes, space, history)) return step;
    const Trial* start = most_accurate(schemes, history);
    if (!start) return std::nullopt;
    // Step 2.
    struct Fallback {
      std::string op;
      const Trial* trial;
    };
    std::vector<Fallback> singles;
    std::vector<std::string> ops = ops_to_fall_back(space, start->plan);
    std::reverse(ops.begin(), ops.end());
    if (start->plan.int8_count() == 1) return std::nullopt;
    const PlanKey key = key_of(start->plan);
    for (const std::string& op : ops) {
      const Trial* trial = history.find(key_with_fallback(start->plan, key, op));
      if (!trial) return Step{with_fallback(start->plan, op)};
      if (trial->result) singles.push_back({op, trial});
    }

    // Step 3.
    std::stable_sort(singles.begin(), singles.end(), [&](const Fallback& a, const Fallback& b) {
      return history.goal.closer(a.trial->result->accuracy, b.trial->result->accuracy);
    });
    std::vector<std::string> in_order;
    for (const Fallback& single : singles) in_order.push_back(single.op);
    return next_combined_fallback(start->plan, in_order, history);
  }
};

}  // namespace

std::unique_ptr<Strategy> make_basic_strategy() { return std::make_unique<Basic>(); }

}  // namespace lpot
