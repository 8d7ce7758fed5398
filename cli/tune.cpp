#include <fmt/format.h>

#include "cli/config_options.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "lpot/config/describe.h"
#include "lpot/core/json.h"
#include "lpot/report/result.h"
#include "lpot/report/write_reports.h"
#include "lpot/tune/tune.h"
#include "lpot/tune/worker.h"

namespace lpot::cli {
namespace {

struct TuneVerb {
  ConfigOptions config;
  bool resume = false;
  bool dry_run = false;
};

void print_dry_run_text(const Config& config, const DryRun& found) {
  for (const std::string& line : describe(config, component_tables().recipes)) fmt::print("{}\n", line);
  fmt::print("\nquantizable ops   {} ({} not allowed in int8 by the config)\n", found.quantizable_ops, found.fixed_ops);
  fmt::print("precision         {} for everything that is not int8\n", to_string(found.precision));
  fmt::print("schemes           {}\n", found.schemes);
  if (config.accuracy.command.empty())
    fmt::print("evaluation        {} samples\n", found.evaluation_size);
  else
    fmt::print("evaluation        {}\n", config.accuracy.command);
  if (config.quantization.approach == Approach::StaticQuantization)
    fmt::print("calibration       {} of {} samples\n", found.calibration_samples, found.calibration_size);
  else
    fmt::print("calibration       none: only weights are quantized\n");
  fmt::print("workspace         {}\n", found.workspace.string());
}

// Prints the resolved config, the search space and the data. Writes nothing.
int run_dry(const Config& config, const TuneVerb& verb, Terminal& terminal, const Context& context) {
  const DryRun found = dry_run(config, {.model = verb.config.model, .output = verb.config.output}, terminal.observer());
  if (context.common.json)
    fmt::print("{}\n", dump_json(OrderedJson{{"settings", describe(config, component_tables().recipes)},
                                             {"quantizable_ops", found.quantizable_ops},
                                             {"kept_in_fp32", found.fixed_ops},
                                             {"precision", to_string(found.precision)},
                                             {"schemes", found.schemes},
                                             {"evaluation_samples", found.evaluation_size},
                                             {"calibration_samples", found.calibration_samples},
                                             {"workspace", found.workspace.string()}},
                                 2));
  else
    print_dry_run_text(config, found);
  return kSuccess;
}

int run_tune(const TuneVerb& verb, const Context& context) {
  Terminal terminal(context.common);
  check_single_process(verb.config, context);
  const Config config = load_or_make_config(verb.config, !verb.dry_run, terminal);
  if (verb.dry_run) return run_dry(config, verb, terminal, context);
  TuneOptions options{.model = verb.config.model,
                      .output = verb.config.output,
                      .resume = verb.resume,
                      .command = context.command_line,
                      .transport = context.transport};
  Goal goal;
  options.on_baseline = [&](const Measurement& baseline, const Goal& found) {
    goal = found;
    terminal.line(
        fmt::format("fp32: {} {:.4f}; goal: {}", baseline.metrics.front().first, baseline.accuracy, found.describe()));
    terminal.line("latencies: batch 1; speed-up: against fp32 in the same run, with its 95% confidence interval");
    terminal.line(trial_header());
  };
  options.on_trial = [&](const Trial& trial, bool is_best) {
    const bool meets_goal = trial.result && goal.met(trial.result->accuracy);
    const Tone tone = meets_goal ? Tone::Good : trial.result ? Tone::Plain : Tone::Bad;
    terminal.line(trial_row(trial, is_best, meets_goal), tone);
  };
  const TuneResult result = tune(config, options, terminal.observer());
  terminal.line("");
  fmt::print("{}", context.common.json ? result_json(result) : result_text(result));
  if (const auto report = report_path(result.workspace); std::filesystem::exists(report))
    terminal.line(fmt::format("report: {}", report.string()));
  if (!result.best) return kError;  // every trial failed, so nothing was saved
  return result.goal_met ? kSuccess : kGoalNotMet;
}

}  // namespace

void add_tune(CLI::App& app, Context& context) {
  const auto verb = std::make_shared<TuneVerb>();
  CLI::App* command = add_verb(app, context, "tune", "Find the fastest int8 model that meets the accuracy goal",
                               "  lpot tune --model resnet20.onnx --data pictures --max-loss 0.01\n"
                               "  lpot tune conf.yaml --model resnet20.onnx\n"
                               "  lpot tune bert.yaml data.yaml --model frozen.pb --output int8/\n"
                               "  lpot tune conf.yaml --model resnet20.onnx --set tuning.exit_policy.max_trials=5\n"
                               "  lpot tune conf.yaml --model resnet20.onnx --resume\n"
                               "  mpirun -n 4 lpot tune conf.yaml --model resnet20.onnx    (docs/scaling.md)");
  verb->config.add_to(*command, true, true);
  command->add_flag("--resume", verb->resume, "Continue the last study in the workspace");
  command->add_flag("--dry-run", verb->dry_run, "Print what would be done and write nothing");
  command->callback([verb, &context] {
    verb->config.check();
    context.run = [verb, &context] { return run_tune(*verb, context); };
    context.run_worker = [verb, &context] {
      run_study_worker(*context.transport, [verb] { return verb->config.load(); });
    };
  });
}

}  // namespace lpot::cli
