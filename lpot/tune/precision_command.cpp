#include "lpot/tune/precision_command.h"

#include <fmt/format.h>

#include "lpot/runtime/precision.h"

namespace lpot {
namespace {

constexpr std::string_view kPrecisionPlaceholder = "{precision}";

std::string command_in(std::string command, InferencePrecision precision) {
  const std::string word(to_string(precision));
  for (std::size_t at = 0; (at = command.find(kPrecisionPlaceholder, at)) != std::string::npos; at += word.size())
    command.replace(at, kPrecisionPlaceholder.size(), word);
  return command;
}

}  // namespace

PrecisionCommandEvaluator::PrecisionCommandEvaluator(std::string command, bool passes_source)
    : command_(std::move(command)) {
  for (const InferencePrecision one : {InferencePrecision::F32, InferencePrecision::Bf16, InferencePrecision::F16})
    evaluators_[one] = std::make_unique<CommandEvaluator>(command_in(command_, one), passes_source);
}

CommandEvaluator& PrecisionCommandEvaluator::in(InferencePrecision precision) const {
  return *evaluators_.at(precision);
}

Score PrecisionCommandEvaluator::baseline(const Model& fp32, const Observer& observer) {
  const InferencePrecision usual = default_precision();
  if (usual != InferencePrecision::F32 && command_.find(kPrecisionPlaceholder) == std::string::npos)
    observer.log(LogLevel::Warning,
                 fmt::format("evaluation.accuracy.command has no {{precision}}: OpenVINO computes in {} on this CPU "
                             "unless the program sets INFERENCE_PRECISION_HINT. Pass {{precision}} (f32, {}) to the "
                             "program and set the hint to it.",
                             to_string(usual), to_string(usual)));
  return in(InferencePrecision::F32).baseline(fp32, observer);
}

Score PrecisionCommandEvaluator::score(const Model& model, const Observer& observer) {
  return in(usable_precision(model.precision)).score(model, observer);
}

}  // namespace lpot
