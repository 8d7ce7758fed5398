// The fallback search of `auto` (auto.cpp): which ops must not run in int8 so that a plan may meet the goal.
//
//   const auto plan = choose_fallback(replay, start);
//   const auto step = plan ? Step{*plan} : replay.step();  // a probe that is needed first; nothing: no ops are left
//
// The ops are ordered by their noise (op_noise.h) per millisecond that int8 saves. Candidates are the first 1, 2, 3,
// ... of them. The cheapest candidate that may meet the goal with a probability above 0.3 is estimated with a few
// samples (probe of level 1) and then tried. Estimates and failed trials correct the prediction for all candidates
// (loss_model.h), so the search moves to larger or smaller sets. If all of them fail, the op with the least noise is
// tried as the only one in int8. If evaluation programs or metrics without sample
// scores do not offer precise estimates, the distance of a candidate's outputs gives its noise.
#pragma once
#include <limits>
#include <optional>

#include "lpot/strategies/op_noise.h"

namespace lpot {

inline constexpr double kWorthATrial = 0.3;  // probability of meeting the goal

// A limit for a search that has found a plan already: the candidates that are faster than this plan by that time.
struct FasterThan {
  const Plan* plan = nullptr;
  double ms = 0;
};

// The next plan to try; nullopt: a probe becomes the next step of `replay`, or no candidate is left.
std::optional<Plan> choose_fallback(Replay& replay, const StartingPlan& start, const FasterThan& limit = {});

// Whether `plan` is `start` with ops that fell back.
bool is_fallback_of(const StartingPlan& start, const Plan& plan);

}  // namespace lpot
