// mse: ops fall back in the order of their effect on the outputs (after LPOT 1.x, strategy/mse.py).
//
// 1. Try the whole model in each allowed scheme, like basic.
// 2. Start from the most accurate of these trials. Probe each op alone in fp32: how close are the outputs to fp32?
// 3. Revert the ops to fp32 one after the other, the most helpful first. Earlier ops stay in fp32.
//
// Cost: schemes + ops trials if no plan meets the goal, and one probe per op.
#include <algorithm>

#include "lpot/strategies/common.h"
#include "lpot/strategies/kinds.h"

namespace lpot {
namespace {

class Mse : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    // Step 1.
    const FallbackStart found = find_fallback_start(space, history);
    if (!found.trial) return found.step;
    const Plan& start = found.trial->plan;
    // Step 2.
    struct Fallback {
      std::string op;
      double distance;
    };
    std::vector<Fallback> singles;
    const PlanKey key = key_of(start);
    const std::vector<std::string> ops = ops_to_fall_back(space, start);
    for (const std::string& op : ops) {
      const Probe* probe = history.find_probe(key_with_fallback(start, key, op));
      if (!probe) return Step{with_fallback(start, op), Step::Kind::Probe, ops.size() - singles.size() - 1};
      singles.push_back({op, probe->distance});
    }
    // Step 3.
    std::stable_sort(singles.begin(), singles.end(),
                     [](const Fallback& a, const Fallback& b) { return a.distance < b.distance; });
    std::vector<std::string> in_order;
    for (const Fallback& single : singles) in_order.push_back(single.op);
    return next_combined_fallback(start, in_order, history);
  }
  DistanceKind distance_kind() const override { return DistanceKind::RootMeanSquare; }
};

}  // namespace

std::unique_ptr<Strategy> make_mse_strategy() { return std::make_unique<Mse>(); }

}  // namespace lpot
