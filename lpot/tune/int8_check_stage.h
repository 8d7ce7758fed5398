// Stage "check int8": ops that were not calibrated, that have no int8 kernel on this machine, or whose int8 kernel is
// not correct, stay unquantized.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/core/observer.h"
#include "lpot/core/tensor.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/runtime/executable.h"
#include "lpot/tune/plan_statistics.h"
#include "lpot/tune/quantization_task.h"

namespace lpot {

// The task without the int8 choices of ops whose tensors had no values during calibration: ops in a branch of an If
// that no sample takes, or in an If inside a loop. Logs a warning that names them.
QuantizationTask without_unobserved_ops(QuantizationTask, const Config&, const StatisticsByPlan&, const Observer&);

// The task without the int8 choices of sequences that fail the check (quantize/sequence_check.h) in the first plan.
// `sample`: one sample of the model's inputs. Logs each reason.
QuantizationTask without_mismatched_sequences(QuantizationTask, const Config&, const StatisticsByPlan&,
                                              const std::vector<Tensor>& sample, const Observer&);

// The same for a final plan and its edits. Its ranges and recipes may differ from the first plan.
Plan without_mismatched_sequences(Plan, const QuantizationTask&, const Edits&, const std::vector<Tensor>& sample,
                                  const Observer&);

using Compile = std::function<std::shared_ptr<Executable>(const Model&)>;
// For the shapes of the sample, on all cores.
Compile compile_for(const std::vector<Tensor>& sample);

// A task, and the model of the first plan of its choices, if it was built for the check.
struct CheckedTask {
  struct Built {
    Edits edits;
    Model model;
  };
  QuantizationTask task;
  std::optional<Built> first = {};
};

// The task without the int8 choices of ops that the runtime runs in fp32 in the first plan
// (quantize/executed_precision.h). Logs the reasons. Large models are not checked, because compiling them takes long.
CheckedTask without_unused_int8(QuantizationTask, const Config&, const StatisticsByPlan&, const Compile&,
                                const Observer&);

// All of these.
CheckedTask with_checked_int8(QuantizationTask, const Config&, const StatisticsByPlan&,
                              const std::vector<Tensor>& sample, const Compile&, const Observer&);

}  // namespace lpot
