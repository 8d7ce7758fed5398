// Adds models without int8 to the plans of a strategy, on CPUs where the runtime computes in 16 bits.
//
//   const auto strategy = with_precision_fallback(make_strategy(config.tuning.strategy), Objective::Performance);
//
// - The first int8 plan misses the goal: the model without int8 is tried in the 16-bit precision of the search space,
//   or only ranked, for strategies that rank plans.
//   If it meets the goal, the search continues with ops that fall back to 16 bits. If it misses the goal, 16 bits cost
//   too much accuracy, and the strategy continues with plans whose other ops run in f32.
// - A plan meets the goal, but is not faster than the model without int8: that model is tried, so that a network that
//   gains nothing from int8 keeps its accuracy.
#pragma once
#include <memory>

#include "lpot/strategies/strategy.h"

namespace lpot {

std::shared_ptr<const Strategy> with_precision_fallback(std::shared_ptr<const Strategy>, Objective);

}  // namespace lpot
