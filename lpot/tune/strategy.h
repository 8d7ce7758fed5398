// A strategy names the next plan to try.
//
// It is a pure function of the search space and the history: asked twice with the same, it answers the same. So a study
// that was interrupted anywhere goes on as if it had not been: the first plan without a recorded answer is the next
// trial.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lpot/core/component.h"
#include "lpot/quantize/space.h"
#include "lpot/store/trial.h"
#include "lpot/tune/goal.h"

namespace lpot {

struct History {
  const std::vector<Trial>& trials;
  const Goal& goal;
  std::uint64_t random_seed = 1978;

  const Trial* find(const Plan&) const;  // the trial of that plan, or nullptr
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Never a plan that the history has, never one without any int8 op; nothing when there is none left.
  virtual std::optional<Plan> next(const SearchSpace&, const History&) const = 0;
};

// Every strategy that a config may name.
const Table& strategies();

// The strategy that a config describes. Throws ConfigError.
std::unique_ptr<Strategy> make_strategy(const Component&);

// The single strategies, each in its own file below strategies/.
std::unique_ptr<Strategy> make_basic_strategy();

}  // namespace lpot
