// Stage "report", first part: stores the data that only the report of a study needs.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <set>

#include "lpot/core/clock.h"
#include "lpot/core/version.h"
#include "lpot/runtime/openvino_version.h"
#include "lpot/tune/diagnose_ops.h"
#include "lpot/tune/stages.h"

namespace lpot {
namespace {

// The ops in topological order, with the reason for each op that must stay in fp32.
std::vector<StudyOp> describe_ops(const QuantizationTask& task) {
  std::map<std::string, std::size_t> places;
  for (const OpInfo& op : list_ops(task.model)) places.emplace(op.name, places.size());
  std::set<std::string> full_range_ops;
  for (const QuantizableOp& op : task.ops)
    if (op.is_product() || op.sequence == SequenceForm::Loop) full_range_ops.insert(op.name);
  std::vector<OpSpace> ops = task.choices.ops;
  std::stable_sort(ops.begin(), ops.end(),
                   [&](const OpSpace& a, const OpSpace& b) { return places[a.name] < places[b.name]; });
  std::vector<StudyOp> described;
  for (const OpSpace& op : ops) {
    described.push_back({op.name, op.type});
    if (op.choices.front().is_int8()) continue;
    described.back().fixed_because =
        full_range_ops.contains(op.name) && task.cpu.needs_half_range()
            ? "Products of two activations and GRUs with linear_before_reset run in int8 only on CPUs that add 8-bit "
              "products in 32 bits."
            : "The configuration does not allow int8 for it.";
  }
  return described;
}

// Ops whose weights use half the int8 range because their sums could overflow.
std::vector<std::string> half_range_ops(const Plan& written) {
  std::vector<std::string> names;
  for (const auto& [name, op] : written.ops)
    if (op.is_int8() && op.weight.bits == 7) names.push_back(name);
  return names;
}

}  // namespace

void record_study(const TuningContext& context, const Baseline& baseline) {
  const QuantizationTask& task = context.task;
  StudyWriter& record = context.session.record();
  record.set_about({.model = task.model.source.string(),
                    .format = std::string(to_string(task.model.format)),
                    .metric = context.evaluator.metric(),
                    .objective = context.config.tuning.objective,
                    .goal = baseline.goal,
                    .command = context.options.command,
                    .started = fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr))),
                    .machine = {task.cpu.name, task.cpu.cpu_class(), task.cpu.cores},
                    .versions = {std::string(kVersion), openvino_version()}});
  record.set_ops(describe_ops(task));
}

void record_end(const TuningContext& context, CandidateBuilder& builder, const SearchInput& input,
                const TuneResult& result) {
  StudyWriter& record = context.session.record();
  record.set_end(result.trials.size(),
                 {std::string(to_string(result.reason)), result.model.string(), result.model_bytes});
  if (record.diagnosis()) return;
  const auto start = Clock::now();
  const Plan all_int8 = first_plan(context.task.choices);
  const Plan written = builder.finalize(all_int8);
  const Statistics& statistics = input.statistics.of(all_int8);
  const std::vector<std::string> saturating = half_range_ops(written);
  const KernelVariantChoice variants = record.kernel_variants().value_or(KernelVariantChoice{});
  const std::vector<OpDiagnosis> ops = diagnose_ops(
      context.task,
      {.samples = std::min(context.config.quantization.sampling_sizes.front(), context.task.calibration.size()),
       .statistics = statistics,
       .noise = input.space.noise,
       .saturating_ops = saturating,
       .variants = variants});
  record.set_diagnosis(ops, noisiest_tensors(ops, written, statistics));
  context.observer.log(LogLevel::Debug,
                       fmt::format("the diagnosis for the report took {:.2f} s", seconds_since(start)));
}

}  // namespace lpot
