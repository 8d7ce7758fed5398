#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/config_options.h"
#include "cli/runtime_option.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "lpot/core/error.h"
#include "lpot/core/json.h"
#include "lpot/distributed/onnxruntime_executor.h"
#include "lpot/model/load.h"
#include "lpot/report/table.h"
#include "lpot/runtime/precision.h"
#include "lpot/tune/data_warnings.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/worker.h"

namespace lpot::cli {
namespace {

struct EvaluateVerb {
  ConfigOptions config;
  std::string reference;
  std::string precision;  // "": the one that the model was saved with, else f32
  std::string runtime = kOpenVino;
};

// The executor of --runtime onnxruntime; nullptr for OpenVINO.
std::shared_ptr<OnnxRuntimeExecutor> make_onnxruntime_executor(const EvaluateVerb& verb, const Config& config,
                                                               const Coordinator* coordinator,
                                                               const std::shared_ptr<OnnxRuntime>& runtime) {
  if (!runtime) return nullptr;
  const auto refuse = [](const std::string& what) {
    throw ConfigError("evaluate", fmt::format("{} is not supported with --runtime onnxruntime; use OpenVINO", what));
  };
  if (!verb.precision.empty()) refuse("--precision");
  if (coordinator) refuse("a run with several processes");
  if (!config.accuracy.command.empty()) refuse("evaluation.accuracy.command");
  if (!config.model.inputs.empty() || !config.model.outputs.empty()) refuse("a model that is cut at tensors");
  if (!config.model.state.empty()) refuse("model.state");
  return std::make_shared<OnnxRuntimeExecutor>(runtime, configured_threads(config.accuracy.instances));
}

// A model with the precision of the option. Throws ConfigError for an unknown one and for one that this CPU lacks.
Model in_precision(Model model, const std::string& option) {
  model.precision = option.empty() ? usable_precision(model.precision) : parse_precision(option, "--precision");
  return model;
}

int run_evaluate(const EvaluateVerb& verb, const Context& context) {
  Terminal terminal(context.common);
  const Observer observer = terminal.observer();
  const Config config = verb.config.load();
  for (const std::string& warning : config.warnings) observer.log(LogLevel::Warning, warning);
  const std::unique_ptr<Coordinator> coordinator = make_coordinator(context.transport);
  const std::shared_ptr<OnnxRuntime> onnxruntime = start_runtime(verb.runtime);
  const auto executor = make_onnxruntime_executor(verb, config, coordinator.get(), onnxruntime);
  const auto evaluator = make_evaluator(config, {}, coordinator.get(), executor);
  if (evaluator->data())
    if (const auto warning = skipped_warning(*evaluator->data(), "evaluation"))
      observer.log(LogLevel::Warning, *warning);
  if (verb.config.model.empty())
    throw ConfigError("model", fmt::format("no model; give its file with --model FILE ({})", kModelFiles));
  const LoadOptions cut = load_options(config.model);
  const auto load = [&](const std::string& path) { return executor ? executor->load(path) : load_model(path, cut); };
  const Model model = executor ? load(verb.config.model) : in_precision(load(verb.config.model), verb.precision);

  if (coordinator && config.accuracy.command.empty()) {
    const DataLoader data = evaluation_loader(config);
    compare_with_workers(*coordinator, model, {.evaluation = &data}, observer);
  }

  const bool compares = needs_baseline(make_metrics(config.accuracy.metrics));
  if (compares && verb.reference.empty())
    throw ConfigError("evaluate", "this metric compares with the fp32 model; give its file with --reference FILE");
  if (compares) evaluator->baseline(load(verb.reference), observer);
  const Score score = compares ? evaluator->score(model, observer) : evaluator->baseline(model, observer);

  if (context.common.json) {
    nlohmann::ordered_json values = nlohmann::ordered_json::object();
    for (const auto& [name, value] : score.metrics) values[name] = value;
    nlohmann::ordered_json json{{"accuracy", score.accuracy()},
                                {"metrics", values},
                                {"samples", score.samples},
                                {"seconds", score.seconds},
                                {"precision", to_string(model.precision)}};
    json.update(runtime_json(onnxruntime.get()));
    fmt::print("{}\n", dump_json(json, 2));
    return kSuccess;
  }
  for (const auto& [name, value] : score.metrics) fmt::print("{:<12} {:.4f}\n", name, value);
  if (score.samples > 0)
    fmt::print("{} samples in {}\n", score.samples, format_seconds(score.seconds));
  else
    fmt::print("in {}\n", format_seconds(score.seconds));
  if (model.precision != InferencePrecision::F32 || default_precision() != InferencePrecision::F32)
    fmt::print("precision {} (everything that is not int8)\n", to_string(model.precision));
  if (onnxruntime) fmt::print("in {}\n", describe_runtime(*onnxruntime));
  return kSuccess;
}

}  // namespace

void add_evaluate(CLI::App& app, Context& context) {
  const auto verb = std::make_shared<EvaluateVerb>();
  CLI::App* command = add_verb(app, context, "evaluate", "Measure a model's accuracy on the config's evaluation data",
                               "  lpot evaluate conf.yaml --model resnet20.onnx\n"
                               "  lpot evaluate conf.yaml --model lpot_workspace/resnet20-onnx/best/model.xml --json\n"
                               "  lpot evaluate conf.yaml --model int8/model.onnx --runtime onnxruntime");
  verb->config.add_to(*command, false);
  command->add_option("--reference", verb->reference, "The fp32 model, for metrics that compare with it (Agreement)");
  command->add_option("--precision", verb->precision,
                      "f32, bf16, f16, or auto for the runtime's default (default: the precision that the model was "
                      "saved with, else f32)");
  add_runtime_option(*command, verb->runtime);
  command->callback([verb, &context] {
    context.run = [verb, &context] { return run_evaluate(*verb, context); };
    context.run_worker = [verb, &context] {
      run_study_worker(*context.transport, [verb] { return verb->config.load(); });
    };
  });
}

}  // namespace lpot::cli
