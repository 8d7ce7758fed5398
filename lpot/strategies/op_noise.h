// Measures the noise that each op adds to the outputs of a model when it runs in int8.
//
//   const auto noise = measure_op_noise(replay, start, 0.3);
//   const bool needs_a_probe = !noise.has_value();  // replay.step()
//
// A probe runs a model with one op, or a few ops, in int8, and measures the distance of its outputs. The square of the
// distance is the power of the noise, and powers add up over ops. (If all other ops stay in int8 instead, one harmful
// op hides the others.) The expected noise of quantize/noise.h describes the output of an op, not of the model, so it
// only distributes the power of a probed group over ops that are not probed alone: neighbours pass through the same
// ops behind them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lpot/strategies/common.h"
#include "lpot/strategies/replay.h"

namespace lpot {

// The plan that ops fall back from. Plans with fallback ops are looked up by their keys and built only if the history
// does not have them.
struct StartingPlan {
  Plan plan;
  PlanKey key;
  double expected_loss;  // of accuracy, if the plan has no trial

  explicit StartingPlan(const Plan& from, double expected = 0)
      : plan(from), key(key_of(from)), expected_loss(expected) {}

  Plan without(const std::vector<std::string>& ops) const;
  PlanKey key_without(const std::vector<std::string>& ops) const;
};

struct OpNoise {
  std::string op;
  double power = 0;  // that int8 adds to the outputs
  double cost = 1;   // added time if it falls back, in milliseconds or, if times are unknown, 1

  double per_cost() const { return power / cost; }
};

struct FallbackOps {
  std::vector<OpNoise> ops;  // those that may fall back, highest power per cost first
  double other_power = 0;    // of the ops that stay in int8
  double floor_power = 0;    // of a 16-bit precision, if no op stays in int8

  double total_power() const;
};

// `remaining`: the share of the noise that may remain. Ops that must fall back for that are probed one by one, up to a
// limit. nullopt: a probe is needed first; it becomes the next step of `replay`.
std::optional<FallbackOps> measure_op_noise(Replay& replay, const StartingPlan& start, double remaining);

// The time that int8 saves for an op, 0 if it was not measured.
double saved_ms(const SearchSpace&, const std::string& op);

}  // namespace lpot
