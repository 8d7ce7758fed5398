#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/config_options.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "lpot/config/describe.h"
#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/quantize/op_keys.h"
#include "lpot/quantize/products.h"
#include "lpot/report/html.h"
#include "lpot/report/result.h"
#include "lpot/report/table.h"
#include "lpot/tune/help.h"
#include "lpot/tune/measure.h"
#include "lpot/tune/quantization.h"
#include "lpot/tune/workspace.h"

namespace lpot::cli {
namespace {

struct TuneVerb {
  ConfigOptions config;
  bool resume = false;
  bool dry_run = false;
};

// What would be done: the resolved config, the search space, the data. Nothing is written.
int print_dry_run(const Config& config, const TuneVerb& verb, const Context& context) {
  const Model model = load_configured_model(config, verb.config.model);
  std::vector<std::string> warnings = config.warnings;
  const std::vector<QuantizableOp> ops = searchable_ops(model);
  const SearchSpace space = make_search_space(ops, without_keys_of_other_ops(config.quantization, model, ops, warnings),
                                              use_half_range(config, detect_cpu()), warnings);
  const DataLoader calibration = first_loader(config, model, warnings);
  const DataLoader evaluation = config.accuracy.loader ? evaluation_loader(config) : calibration;
  const auto evaluator = make_evaluator(config);
  const Meter fits(model, *evaluator, evaluation);
  std::size_t fixed = 0;
  for (const OpSpace& op : space.ops) fixed += op.choices.size() == 1 && op.can_fall_back();
  const bool calibrates = config.quantization.approach == Approach::StaticQuantization;
  const std::size_t samples = calibrates ? std::min(config.quantization.sampling_sizes.front(), calibration.size()) : 0;
  const std::string workspace = workspace_path(config, model).string();
  if (context.common.json) {
    fmt::print("{}\n",
               nlohmann::ordered_json{{"settings", describe(config)},
                                      {"quantizable_ops", space.ops.size()},
                                      {"kept_in_fp32", fixed},
                                      {"schemes", space.model_choices.size()},
                                      {"evaluation_samples", config.accuracy.command.empty() ? evaluation.size() : 0},
                                      {"calibration_samples", samples},
                                      {"workspace", workspace}}
                   .dump(2));
  } else {
    for (const std::string& line : describe(config)) fmt::print("{}\n", line);
    fmt::print("\nquantizable ops   {} ({} kept in fp32 by the config)\n", space.ops.size(), fixed);
    fmt::print("schemes           {}\n", space.model_choices.size());
    if (config.accuracy.command.empty())
      fmt::print("evaluation        {} samples\n", evaluation.size());
    else
      fmt::print("evaluation        {}\n", config.accuracy.command);
    if (calibrates)
      fmt::print("calibration       {} of {} samples\n", samples, calibration.size());
    else
      fmt::print("calibration       none: only weights are quantized\n");
    fmt::print("workspace         {}\n", workspace);
  }
  Terminal terminal(context.common);
  for (const std::string& warning : warnings) terminal.observer().log(LogLevel::Warning, warning);
  return kSuccess;
}

int run_tune(const TuneVerb& verb, const Context& context) {
  const Config config = verb.config.load();
  if (verb.dry_run) return print_dry_run(config, verb, context);
  Terminal terminal(context.common);
  TuneOptions options{.model = verb.config.model,
                      .output = verb.config.output,
                      .resume = verb.resume || !config.tuning.resume_from.empty(),
                      .command = context.command_line,
                      .team = context.team};
  Goal goal;
  options.on_baseline = [&](const Measured& baseline, const Goal& found) {
    goal = found;
    terminal.line(fmt::format("fp32: {} {:.4f}, {:.3f} ms; goal: {}", baseline.metrics.front().first, baseline.accuracy,
                              baseline.latency_ms, found.describe()));
    terminal.line(trial_header());
  };
  options.on_trial = [&](const Trial& trial, bool is_best) {
    const bool meets_goal = trial.result && goal.met(trial.result->accuracy);
    const Tone tone = meets_goal ? Tone::Good : trial.result ? Tone::Plain : Tone::Bad;
    terminal.line(trial_row(trial, is_best, meets_goal), tone);
  };
  const TuneResult result = tune(config, options, terminal.observer());
  if (!result.model.empty()) write_file(result.model.parent_path() / "result.json", result_json(result));
  terminal.line("");
  fmt::print("{}", context.common.json ? result_json(result) : result_text(result));
  try {
    terminal.line(fmt::format("report: {}", write_report(result).string()));
  } catch (const StoreError& error) {  // the model is saved all the same
    terminal.observer().log(LogLevel::Warning, fmt::format("the report is not written: {}", error.what()));
  }
  if (!result.best) return kError;  // every trial failed, so nothing was saved
  return result.goal_met ? kSuccess : kGoalNotMet;
}

}  // namespace

void add_tune(CLI::App& app, Context& context) {
  const auto verb = std::make_shared<TuneVerb>();
  CLI::App* command = add_verb(app, context, "tune", "Find the fastest int8 model that meets the accuracy goal",
                               "  lpot tune conf.yaml --model resnet20.onnx\n"
                               "  lpot tune bert.yaml data.yaml --model frozen.pb --output int8/\n"
                               "  lpot tune conf.yaml --model resnet20.onnx --set tuning.exit_policy.max_trials=5\n"
                               "  lpot tune conf.yaml --model resnet20.onnx --resume\n"
                               "  mpirun -n 4 lpot tune conf.yaml --model resnet20.onnx    (docs/scaling.md)");
  verb->config.add_to(*command, true);
  command->add_flag("--resume", verb->resume, "Go on with the last study in the workspace");
  command->add_flag("--dry-run", verb->dry_run, "Say what would be done and write nothing");
  command->callback([verb, &context] {
    context.run = [verb, &context] { return run_tune(*verb, context); };
    context.help = [verb, &context] { help(*context.team, [verb] { return verb->config.load(); }); };
  });
}

}  // namespace lpot::cli
