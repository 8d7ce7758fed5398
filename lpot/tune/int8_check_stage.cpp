#include "lpot/tune/int8_check_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lpot/core/error.h"
#include "lpot/core/large_models.h"
#include "lpot/quantize/executed_precision.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/sequence_check.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/report/table.h"
#include "lpot/runtime/compiled_models.h"
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

bool is_int8_in(const Plan& plan, const std::string& op) {
  const auto found = plan.ops.find(op);
  return found != plan.ops.end() && found->second.is_int8();
}

// Whether calibration saw no values of a tensor that the op needs.
bool is_unobserved(const QuantizableOp& op, const Statistics& statistics) {
  return !statistics.contains(op.activation) || (!op.second.empty() && !statistics.contains(op.second));
}

// Fewer quantizers may change which kernels the runtime chooses for other ops.
constexpr int kMaxRounds = 3;

// Nothing if the first plan has no int8.
std::optional<CheckedTask::Built> build_first(const QuantizationTask& task, const Config& config,
                                              const StatisticsByPlan& all) {
  const Plan plan = PlanFinalizer(task, config, all).finalize(first_plan(task.choices));
  if (plan.int8_count() == 0) return std::nullopt;
  Edits edits = resolve(task.model, plan, all.of(plan));
  Model model = apply(task.model, edits);
  return CheckedTask::Built{std::move(edits), std::move(model)};
}

}  // namespace

QuantizationTask without_unobserved_ops(QuantizationTask task, const Config& config, const StatisticsByPlan& all,
                                        const Observer& observer) {
  if (is_dynamic(config)) return task;
  std::set<std::string> unobserved;
  Plan plan = first_plan(task.choices);
  for (const std::size_t size : task.choices.sampling_sizes) {
    plan.sampling_size = size;
    for (const QuantizableOp& op : task.ops)
      if (is_int8_in(plan, op.name) && is_unobserved(op, all.of(plan))) unobserved.insert(op.name);
  }
  if (unobserved.empty()) return task;
  for (const std::string& name : unobserved) {
    keep_unquantized(task.choices, name);
    keep_unquantized(task.full_range, name);
  }
  observer.log(
      LogLevel::Warning,
      fmt::format("{} ops stay in {}, because the calibration data never reach them: they are in a branch of an "
                  "If that no sample takes, or in an If inside a loop. Add samples that take the branch: {}",
                  unobserved.size(), to_string(unquantized(task.choices.inference_precision)),
                  format_names({unobserved.begin(), unobserved.end()}, "'lpot inspect'")));
  return task;
}

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

Plan without_mismatched_sequences(Plan plan, const QuantizationTask& task, const Edits& edits,
                                  const std::vector<Tensor>& sample, const Observer& observer) {
  if (edits.sequences.empty()) return plan;
  observer.check_stop();
  for (const SequenceMismatch& found : mismatched_sequences(task.model, edits, sample)) {
    const Precision precision = unquantized(plan.inference_precision);
    observer.log(LogLevel::Warning, fmt::format("op '{}' stays in {} in the final model: {}", found.op,
                                                to_string(precision), found.reason));
    plan.ops.at(found.op) = {.precision = precision};
  }
  return plan;
}

Compile compile_for(const std::vector<Tensor>& sample) {
  return [sample](const Model& model) { return CompiledModels(sample, 0).get(model, false); };
}

CheckedTask without_unused_int8(QuantizationTask unchecked, const Config& config, const StatisticsByPlan& all,
                                const Compile& compile, const Observer& observer) {
  CheckedTask checked{std::move(unchecked)};
  QuantizationTask& task = checked.task;
  if (is_dynamic(config) || task.model.size_bytes >= kLargeModel) return checked;
  std::vector<std::string> names;
  try {
    for (int round = 0; round < kMaxRounds; ++round) {
      observer.check_stop();
      auto built = build_first(task, config, all);
      if (!built) break;
      const std::vector<UnusedInt8> found =
          unused_int8(task.model, built->edits, compile(built->model)->executed_ops());
      if (found.empty()) {
        checked.first = std::move(built);
        break;
      }
      for (const auto& [op, reason] : found) {
        observer.log(LogLevel::Debug, fmt::format("op '{}': {}", op, reason));
        keep_unquantized(task.choices, op);
        keep_unquantized(task.full_range, op);
        names.push_back(op);
      }
      if (round == 0) observer.log(LogLevel::Info, fmt::format("op '{}': {}", found[0].op, found[0].reason));
    }
  } catch (const ModelError& error) {
    observer.log(LogLevel::Warning, fmt::format("the int8 kernels could not be checked: {}", error.what()));
  }
  if (!names.empty())
    observer.log(LogLevel::Info, fmt::format("{} ops stay in {}, because the runtime has no int8 kernel for them: {}",
                                             names.size(), to_string(unquantized(task.choices.inference_precision)),
                                             format_names(names, "the log with --verbose")));
  return checked;
}

CheckedTask with_checked_int8(QuantizationTask task, const Config& config, const StatisticsByPlan& all,
                              const std::vector<Tensor>& sample, const Compile& compile, const Observer& observer) {
  task = without_unobserved_ops(std::move(task), config, all, observer);
  task = without_mismatched_sequences(std::move(task), config, all, sample, observer);
  return without_unused_int8(std::move(task), config, all, compile, observer);
}

}  // namespace lpot
