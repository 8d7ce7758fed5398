// random: every op uses a random choice. The plan of a trial depends on the seed and the number of earlier trials. The
// strategy ends only if many draws find no new plan.
#include "lpot/strategies/common.h"
#include "lpot/strategies/kinds.h"

namespace lpot {
namespace {

class Random : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    RandomGenerator draws = generator_for(history, "random");
    const auto plan = random_untried_plan(space, history, draws);
    return plan ? std::optional(Step{*plan}) : std::nullopt;
  }
  bool needs_scores() const override { return false; }
};

}  // namespace

std::unique_ptr<Strategy> make_random_strategy() { return std::make_unique<Random>(); }

}  // namespace lpot
