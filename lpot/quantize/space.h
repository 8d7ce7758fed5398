// The search space: for every quantizable op, what it may become after the config's restrictions.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/quantize/capability.h"
#include "lpot/quantize/plan.h"

namespace lpot {

struct OpSpace {
  std::string name;
  std::string type;
  std::vector<OpPlan> choices;  // int8 choices in order of preference, then fp32 unless the config forbids it

  bool can_fall_back() const { return !choices.empty() && choices.back().precision == Precision::Fp32; }
  const OpPlan& most_like(const OpPlan& wanted) const;  // of the choices; the preferred one among equals
};

struct SearchSpace {
  std::vector<OpSpace> ops;             // in topological order
  std::vector<OpPlan> model_choices;    // the int8 schemes that a whole model may take, in order of preference
  std::vector<Recipes> recipes = {{}};  // treatments of the whole model, in order of preference
  std::vector<std::size_t> sampling_sizes = {0};  // snapshots of the statistics to choose from; 0: the only one

  // What is measured of the ops, for strategies.
  std::map<std::string, double> saved_ms = {};  // by int8 against fp32, of one inference; empty: not measured
  std::function<std::map<std::string, double>()> noise = {};  // see noise.h; empty: not known

  // Every op with `choice`, or the choice of its own that is most like it; ops named in `fallback` in fp32.
  Plan plan(const OpPlan& choice, const std::vector<std::string>& fallback = {}) const;
  bool contains(const Plan&) const;
};

// Throws ConfigError, with near names, for an op_wise key that matches nothing, and for restrictions that leave an op
// no choice at all. Warnings (a key taken as an op type) are appended to `warnings`.
SearchSpace make_search_space(const std::vector<QuantizableOp>&, const QuantizationConfig&, bool half_range,
                              std::vector<std::string>& warnings);

}  // namespace lpot
