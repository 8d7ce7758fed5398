// The fallback search of `auto` (auto.cpp): which ops must run in fp32 so that a plan may meet the goal.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lpot/strategies/common.h"

namespace lpot {

inline constexpr double kSimilarDistance = 1.15;  // distances up to this factor count as equal

// Replays a search with the recorded trials and probes. The first one that is missing becomes the next step.
class Replay {
 public:
  Replay(const SearchSpace& space, const History& history) : space_(space), history_(history) {}

  const SearchSpace& space() const { return space_; }
  const History& history() const { return history_; }
  const std::optional<Step>& step() const { return step_; }

  // The trial of the plan with that key; nullptr: it becomes the next step.
  template <typename BuildPlan>
  const Trial* trial(PlanKey key, BuildPlan&& build_plan) {
    const Trial* found = history_.find(key);
    if (!found) step_ = Step{build_plan(), Step::Kind::Try};
    return found;
  }

  // The distance of that plan; nullopt: its probe becomes the next step. `ahead`: an upper bound of the number of
  // probes that follow.
  template <typename BuildPlan>
  std::optional<double> distance(PlanKey key, std::size_t ahead, BuildPlan&& build_plan) {
    if (const Probe* found = history_.find_probe(key)) return found->distance;
    step_ = Step{build_plan(), Step::Kind::Probe, ahead};
    return std::nullopt;
  }

  // The probe of that level; nullptr: it becomes the next step.
  const Probe* probe(const Plan& plan, int level, std::size_t ahead) {
    const Probe* found = history_.find_probe(plan, level);
    if (!found) step_ = Step{plan, Step::Kind::Probe, ahead, level};
    return found;
  }

 private:
  const SearchSpace& space_;
  const History& history_;
  std::optional<Step> step_;
};

// The plan that ops fall back from. Plans with more fallback ops are looked up by their keys and built only if the
// history does not have them.
struct StartingPlan {
  Plan plan;
  PlanKey key;
  std::size_t int8_count;

  double expected_loss;  // of accuracy, if the plan has no trial

  explicit StartingPlan(const Plan& from, double expected = 0)
      : plan(from), key(key_of(from)), int8_count(from.int8_count()), expected_loss(expected) {}

  Plan without(const std::vector<std::string>& ops) const {
    Plan result = plan;
    for (const std::string& op : ops) result = with_fallback(std::move(result), op);
    return result;
  }
};

// The distance of the plan after these ops fall back, 0 if no int8 op is left: that is the fp32 model. nullopt: the
// probe becomes the next step of `replay`.
std::optional<double> distance_without(Replay& replay, const StartingPlan&, const std::vector<std::string>& ops,
                                       std::size_t ahead = 0);

// The distance at which the goal is expected to be met, from the loss of the plan and its distance. Assumes that the
// loss is proportional to the distance.
double target_distance(const History&, const StartingPlan&, double distance);

// The time that int8 saves for an op, 0 if it was not measured.
double saved_ms(const SearchSpace&, const std::string& op);

// The ops whose fallback may meet the goal and costs least time; empty if no more ops can fall back; nullopt: a probe
// is needed first, which becomes the next step of `replay`.
std::optional<std::vector<std::string>> choose_fallback(Replay& replay, const StartingPlan&);

}  // namespace lpot
