// A strategy names what to do next: a plan to try, or one to look at.
//
// It is a pure function of the search space and the history: asked twice with the same, it answers the same. So a study
// that was interrupted anywhere goes on as if it had not been: the first step without a recorded answer is the next.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lpot/core/component.h"
#include "lpot/quantize/space.h"
#include "lpot/store/trial.h"
#include "lpot/tune/distance.h"
#include "lpot/tune/goal.h"
#include "lpot/tune/plan_index.h"

namespace lpot {

struct History {
  const std::vector<Trial>& trials;
  const Goal& goal;
  std::uint64_t random_seed = 1978;
  const std::vector<Probe>& probes = no_probes();
  bool has_budget = false;  // the search goes on after the goal is met, for a faster model
  // Of the trials and probes, where the caller keeps them; else they are made when they are asked for.
  const PlanIndex* trial_index = nullptr;
  const PlanIndex* probe_index = nullptr;

  const Trial* find(PlanKey) const;  // the trial of that plan, or nullptr
  const Trial* find(const Plan& plan) const { return find(key_of(plan)); }
  const Probe* find_probe(PlanKey) const;
  const Probe* find_probe(const Plan& plan) const { return find_probe(key_of(plan)); }
  bool met() const;  // by any trial

  mutable PlanIndex own_trial_index = {};
  mutable PlanIndex own_probe_index = {};

 private:
  static const std::vector<Probe>& no_probes();
};

struct Step {
  enum class Kind { Try, Probe };
  Plan plan;
  Kind kind = Kind::Try;
  std::size_t ahead = 0;  // of a probe: how many may follow before the next trial, as far as it is known

  bool operator==(const Step&) const = default;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Never a plan that the history has, never one without any int8 op; nothing when there is none left.
  virtual std::optional<Step> next(const SearchSpace&, const History&) const = 0;

  // Whether it compares the accuracies of trials that do not meet the goal. If not, these may be estimates.
  virtual bool needs_scores() const { return true; }

  // What its probes measure.
  virtual DistanceKind distance_kind() const { return DistanceKind::Mean; }
};

// Every strategy that a config may name.
const Table& strategies();

// The strategy that a config describes. Throws ConfigError.
std::unique_ptr<Strategy> make_strategy(const Component&);

// The single strategies, each in its own file below strategies/.
std::unique_ptr<Strategy> make_auto_strategy();
std::unique_ptr<Strategy> make_basic_strategy();
std::unique_ptr<Strategy> make_bayesian_strategy();
std::unique_ptr<Strategy> make_exhaustive_strategy();
std::unique_ptr<Strategy> make_mse_strategy();
std::unique_ptr<Strategy> make_random_strategy();
std::unique_ptr<Strategy> make_tpe_strategy(const Component&);

}  // namespace lpot
