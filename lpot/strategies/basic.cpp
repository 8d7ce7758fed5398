// basic: the search of LPOT 1.x (strategy/basic.py) as a pure function of the history.
//
// 1. Try the whole model in each allowed scheme, in order of preference, for each sampling size.
// 2. Start from the most accurate of these trials. Revert each op alone to fp32, from the last op to the first.
// 3. Revert several ops of step 2 together, the most helpful first: two ops, three ops, and so on.
//
// Cost: schemes + ops + ops trials if no plan meets the goal.
#include <algorithm>

#include "lpot/strategies/common.h"
#include "lpot/strategies/kinds.h"

namespace lpot {
namespace {

class Basic : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    // Step 1.
    const FallbackStart found = find_fallback_start(space, history);
    if (!found.trial) return found.step;
    const Plan& start = found.trial->plan;
    // Step 2.
    struct Fallback {
      std::string op;
      const Trial* trial;
    };
    std::vector<Fallback> singles;
    std::vector<std::string> ops = ops_to_fall_back(space, start);
    std::reverse(ops.begin(), ops.end());
    const PlanKey key = key_of(start);
    for (const std::string& op : ops) {
      const Trial* trial = history.find(key_with_fallback(start, key, op));
      if (!trial) return Step{with_fallback(start, op)};
      if (trial->result) singles.push_back({op, trial});
    }

    // Step 3.
    std::stable_sort(singles.begin(), singles.end(), [&](const Fallback& a, const Fallback& b) {
      return history.goal.closer(a.trial->result->accuracy, b.trial->result->accuracy);
    });
    std::vector<std::string> in_order;
    for (const Fallback& single : singles) in_order.push_back(single.op);
    return next_combined_fallback(start, in_order, history);
  }
};

}  // namespace

std::unique_ptr<Strategy> make_basic_strategy() { return std::make_unique<Basic>(); }

}  // namespace lpot
