// mse: ops fall back in the order of what they do to the outputs (after LPOT 1.x, strategy/mse.py).
//
// 1. The whole model in each scheme that the config allows, as basic does.
// 2. From the most accurate of these: how near the outputs come to fp32's on a few samples with each op alone in fp32.
// 3. One op after the other back to fp32, the most helpful first, each together with those before it.
// Cost: schemes + ops trials when nothing passes, and a probe for each op.
#include <algorithm>

#include "lpot/strategies/common.h"

namespace lpot {
namespace {

class Mse : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    const std::vector<Scheme> schemes = schemes_of(space);
    if (auto step = untried(schemes, space, history)) return step;
    const Trial* start = most_accurate(schemes, history);
    if (!start) return std::nullopt;
    struct Fallback {
      std::string op;
      double distance;
    };
    std::vector<Fallback> singles;
    if (start->plan.int8_count() == 1) return std::nullopt;
    const PlanKey key = key_of(start->plan);
    const std::vector<std::string> ops = ops_to_fall_back(space, start->plan);
    for (const std::string& op : ops) {
      const Probe* probe = history.find_probe(key_with_fallback(start->plan, key, op));
      if (!probe) return Step{with_fallback(start->plan, op), Step::Kind::Probe, ops.size() - singles.size() - 1};
      singles.push_back({op, probe->distance});
    }
    std::stable_sort(singles.begin(), singles.end(),
                     [](const Fallback& a, const Fallback& b) { return a.distance < b.distance; });
    std::vector<std::string> in_order;
    for (const Fallback& single : singles) in_order.push_back(single.op);
    return next_together(start->plan, in_order, history);
  }
  DistanceKind distance_kind() const override { return DistanceKind::RootMeanSquare; }
};

}  // namespace

std::unique_ptr<Strategy> make_mse_strategy() { return std::make_unique<Mse>(); }

}  // namespace lpot
