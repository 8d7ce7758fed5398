// random: every op takes one of its choices by chance; what the trial after n others tries depends on the seed and n.
// It never ends by itself but when many draws find nothing new.
#include "lpot/strategies/common.h"

namespace lpot {
namespace {

class Random : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    Draws draws = draws_for(history, "random");
    const auto plan = new_random_plan(space, history, draws);
    return plan ? std::optional(Step{*plan}) : std::nullopt;
  }
  bool needs_scores() const override { return false; }
};

}  // namespace

std::unique_ptr<Strategy> make_random_strategy() { return std::make_unique<Random>(); }

}  // namespace lpot
