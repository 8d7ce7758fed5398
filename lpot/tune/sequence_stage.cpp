#include "lpot/tune/sequence_stage.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/quantize/resolve.h"
#include "lpot/quantize/sequence_check.h"
#include "lpot/tune/plan_finalizer.h"

namespace lpot {
namespace {

// Removes all int8 choices of an op.
void keep_unquantized(PlanChoices& choices, const std::string& name) {
  for (OpSpace& op : choices.ops) {
    if (op.name != name) continue;
    std::erase_if(op.choices, [](const OpPlan& choice) { return choice.is_int8(); });
    if (op.choices.empty()) op.choices.push_back({.precision = unquantized(choices.inference_precision)});
    op.more_choices.clear();
  }
  const bool has_int8 = std::any_of(choices.ops.begin(), choices.ops.end(),
                                    [](const OpSpace& op) { return op.choices.front().is_int8(); });
  if (has_int8) return;
  choices.model_choices.clear();
  choices.more_model_choices.clear();
}

}  // namespace

QuantizationTask without_mismatched_sequences(QuantizationTask task, const Config& config, const StatisticsByPlan& all,
                                              const std::vector<Tensor>& sample, const Observer& observer) {
  const bool has_sequences =
      std::any_of(task.ops.begin(), task.ops.end(), [](const QuantizableOp& op) { return op.sequence.has_value(); });
  if (!has_sequences || is_dynamic(config)) return task;
  observer.check_stop();
  const Plan plan = PlanFinalizer(task, config, all).finalize(first_plan(task.choices));
  if (plan.int8_count() == 0) return task;
  for (const SequenceMismatch& found :
       mismatched_sequences(task.model, resolve(task.model, plan, all.of(plan)), sample)) {
    observer.log(LogLevel::Warning,
                 fmt::format("op '{}' stays in {}: {}", found.op,
                             to_string(unquantized(task.choices.inference_precision)), found.reason));
    keep_unquantized(task.choices, found.op);
    keep_unquantized(task.full_range, found.op);
  }
  return task;
}

}  // namespace lpot
