// Replays a search with the recorded trials and probes. The first one that is missing becomes the next step.
//
//   Replay replay(space, history);
//   const Trial* tried = replay.trial(key_of(plan), [&] { return plan; });
//   const std::optional<Step>& step = replay.step();  // if it was not tried: the step that evaluates `plan`
//
#pragma once
#include <optional>

#include "lpot/strategies/strategy.h"

namespace lpot {

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

}  // namespace lpot
