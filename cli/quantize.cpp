#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/config_options.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "lpot/core/json.h"
#include "lpot/report/result.h"
#include "lpot/report/table.h"
#include "lpot/tune/tune.h"
#include "lpot/tune/worker.h"

namespace lpot::cli {
namespace {

int run_quantize(const ConfigOptions& verb, const Context& context) {
  Terminal terminal(context.common);
  check_single_process(verb, context);
  const Config config = load_or_make_config(verb, true, terminal);
  const TuneOptions options{
      .model = verb.model, .output = verb.output, .command = context.command_line, .transport = context.transport};
  const QuantizeResult result = quantize_once(config, options, terminal.observer());
  if (context.common.json) {
    nlohmann::ordered_json json{
        {"model", result.model.string()},      {"size_bytes", result.model_bytes},
        {"source_bytes", result.source_bytes}, {"int8_ops", result.int8_ops},
        {"fp32_ops", result.fp32_ops},         {"calibration_samples", result.calibration_samples}};
    if (!result.activations.empty()) json["activations"] = result.activations;
    if (!result.shapes.empty()) json["static_shapes"] = shapes_json(result.shapes);
    json["precision"] = to_string(result.precision);
    json.update(exports_json(result));
    fmt::print("{}\n", dump_json(json, 2));
    return kSuccess;
  }
  if (result.activations.empty())
    fmt::print("{}; calibrated with {} samples\n", describe_precisions(result.plan), result.calibration_samples);
  else
    fmt::print("{} ops with int8 weights, {} in fp32; activations {}\n", result.int8_ops, result.fp32_ops,
               result.activations);
  fmt::print("{} -> {}\n{}\n", format_bytes(result.source_bytes), format_bytes(result.model_bytes),
             result.model.string());
  for (const ExportedModel& other : result.exports)
    fmt::print("{} ({})\n", other.path.string(), format_bytes(other.bytes));
  fmt::print("\n");
  fmt::print("The accuracy was not measured. 'lpot evaluate' measures it, and 'lpot bench' compares the speed.\n\n");
  if (!result.shapes.empty()) fmt::print("{}\n", shape_hint(result.shapes));
  fmt::print("{}", run_lines(result));
  return kSuccess;
}

}  // namespace

void add_quantize(CLI::App& app, Context& context) {
  const auto verb = std::make_shared<ConfigOptions>();
  CLI::App* command = add_verb(app, context, "quantize", "Quantize once, without evaluating",
                               "  lpot quantize conf.yaml --model resnet20.onnx --output int8/\n"
                               "  lpot quantize --model resnet20.onnx --data pictures --output int8/");
  verb->add_to(*command, true, true);
  command->callback([verb, &context] {
    verb->check();
    context.run = [verb, &context] { return run_quantize(*verb, context); };
    context.run_worker = [verb, &context] { run_study_worker(*context.transport, [verb] { return verb->load(); }); };
  });
}

}  // namespace lpot::cli
