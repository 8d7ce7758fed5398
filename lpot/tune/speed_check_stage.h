// Stage "check speed": the plan that is saved must not be slower than the model without int8.
//
//   const Plan checked = check_speed({task, config, choices, inputs}, builder, plan, observer);
//
// Kernel variants are compared with the first plan of a search. Recipes and range estimators are chosen later, and they
// can change the speed: zero points, other kernels. So the final plan is timed again.
// 1. Compare the plan with the model without int8 in the same precision, in interleaved runs.
// 2. If it is not clearly faster, profile both. Return the ops to float that are not faster in int8, and repeat.
// 3. If the whole confidence interval still says slower, twice, return the model without int8.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/observer.h"
#include "lpot/core/tensor.h"
#include "lpot/plan/kernel_variants.h"
#include "lpot/plan/search_space.h"
#include "lpot/runtime/comparison.h"
#include "lpot/tune/candidate_builder.h"
#include "lpot/tune/quantization_task.h"

namespace lpot {

// How plans are timed. Tests use fixed times.
struct PlanTimer {
  std::function<TimeRatio(const Plan&)> speedup;  // against the model without int8
  std::function<std::map<std::string, OpTimes>(const Plan&)> op_times;
};

// `choices`: of the plan. Ops that must be int8 by the configuration stay in int8. Logs what changed and why.
Plan without_slowdown(const Plan&, const PlanChoices& choices, const PlanTimer&, const Observer&);

struct SpeedCheck {
  const QuantizationTask& task;
  const Config& config;
  const PlanChoices& choices;         // with kernel variants
  const std::vector<Tensor>& sample;  // of the model's inputs
};

// The same with measured times. Returns the plan as it is if the configuration requests plain kernel variants or
// another objective than speed, and for large models, whose plan was timed with its kernel variants.
Plan check_speed(const SpeedCheck&, CandidateBuilder&, const Plan&, const Observer&);

}  // namespace lpot
