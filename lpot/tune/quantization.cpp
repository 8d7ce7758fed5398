#include "lpot/tune/quantization.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lpot/calibrate/observe.h"
#include "lpot/config/describe.h"
#include "lpot/core/clock.h"
#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/quantize/forms/choose.h"
#include "lpot/quantize/quantize.h"
#include "lpot/quantize/recipes/saturation.h"
#include "lpot/tune/deploy.h"
#include "lpot/tune/measure.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/workspace.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

// What every way of quantizing needs: the model, what may become of it, and the data for its ranges.
struct Bench {
  Cpu cpu = detect_cpu();
  Model model;
  std::string name;
  std::vector<QuantizableOp> ops;
  SearchSpace space;
  DataLoader calibration;
};

Bench prepare(const Config& config, const TuneOptions& options, const Observer& observer) {
  std::vector<std::string> warnings = config.warnings;
  DataLoader calibration = calibration_loader(config, warnings, options.own);
  Bench bench{.model = load_configured_model(config, options.model),
              .name = {},
              .ops = {},
              .space = {},
              .calibration = std::move(calibration)};
  bench.name = config.model.name.empty() ? bench.model.source.stem().string() : config.model.name;
  bench.ops = quantizable_ops(bench.model);
  if (bench.ops.empty())
    throw ModelError(
        "quantize",
        fmt::format("{}: nothing to quantize: it has no convolution and no matrix product with constant weights",
                    options.model.string()));
  bench.space = make_search_space(bench.ops, config.quantization, use_half_range(config, bench.cpu), warnings);
  for (const std::string& warning : warnings) observer.log(LogLevel::Warning, warning);
  if (bench.space.model_choices.empty())
    throw ConfigError("quantize", "the config keeps every op in fp32: nothing is left to quantize");
  return bench;
}

// Statistics by the sampling size that plans name; 0 where there is only one.
using StatisticsBySize = std::map<std::size_t, Statistics>;

// One pass over the data, a snapshot for each sampling size.
StatisticsBySize calibrate(const Bench& bench, const Config& config, const Observer& observer) {
  std::vector<std::size_t> sizes = config.quantization.sampling_sizes;
  std::sort(sizes.begin(), sizes.end());
  if (sizes.back() > bench.calibration.size())
    observer.log(LogLevel::Warning, fmt::format("sampling_size is {}, the calibration data have {} samples",
                                                sizes.back(), bench.calibration.size()));
  Calibration calibration =
      observe(bench.model, observation_points(bench.model), bench.calibration, {.sampling_sizes = sizes}, observer);
  StatisticsBySize by_size;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    by_size.emplace(sizes.size() == 1 ? 0 : sizes[i], std::move(calibration.snapshots[i]));
  return by_size;
}

// From the store, or measured and stored before it is used.
StatisticsBySize stored_statistics(Store& store, StudyId study, const Bench& bench, const Config& config,
                                   const Observer& observer) {
  const auto key = [](std::size_t size) { return fmt::format("statistics {}", size); };
  StatisticsBySize kept;
  for (const std::size_t size : bench.space.sampling_sizes)
    if (const auto bytes = store.get(study, key(size))) kept.emplace(size, statistics_from_bytes(*bytes));
  if (kept.size() == bench.space.sampling_sizes.size()) return kept;
  StatisticsBySize measured = calibrate(bench, config, observer);
  for (const auto& [size, statistics] : measured) store.put(study, key(size), to_bytes(statistics));
  return measured;
}

std::string names_of(const std::vector<OwnMetric>& metrics) {
  std::vector<std::string> names;
  for (const OwnMetric& own : metrics) names.push_back(own.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// The first plan of the search, which what is measured about ops is measured with.
Plan first_plan(const SearchSpace& space) {
  Plan plan = space.plan(space.model_choices.front());
  plan.sampling_size = space.sampling_sizes.front();
  return plan;
}

FormChoice measure_forms(const Bench& bench, const Statistics& statistics, const std::vector<Tensor>& sample,
                         const Config& config, const Observer& observer) {
  if (!config.quantization.recipes.measured_forms) return {};
  try {
    return choose_forms(bench.model, first_plan(bench.space), statistics, sample, {}, observer);
  } catch (const ModelError& error) {
    observer.log(LogLevel::Warning, fmt::format("kernel forms are not compared: {}", error.what()));
    return {};
  }
}

// Weights that take half the range because the CPU may need it take the whole where it does not.
void widen_weights(Bench& bench, const Config& config, const Statistics& statistics) {
  if (config.quantization.recipes.half_range || !use_half_range(config, bench.cpu)) return;
  Plan plan = first_plan(bench.space);
  std::map<std::string, OpPlan> narrow;
  for (auto& [name, op] : plan.ops)
    if (op.precision == Precision::Int8 && op.weight.bits == 7) {
      narrow.emplace(name, op);
      op.weight.bits = 8;
    }
  for (const std::string& name : saturating_ops(bench.model, plan, statistics)) narrow.erase(name);
  for (OpSpace& op : bench.space.ops) {
    const auto found = narrow.find(op.name);
    if (found == narrow.end()) continue;
    for (OpPlan& choice : op.choices)
      if (choice == found->second) choice.weight.bits = 8;
  }
}

// Ops that are slower in int8 stay in fp32 where speed is the objective.
void apply_forms(Bench& bench, const FormChoice& forms, const Config& config, const Observer& observer) {
  const bool drop_slower = config.tuning.objective == Objective::Performance;
  use_forms(bench.space, forms, drop_slower);
  if (!forms.forms.empty())
    observer.log(LogLevel::Info, fmt::format("{} matrix products run as 1x1 convolutions, which is faster on this CPU",
                                             forms.forms.size()));
  if (drop_slower && !forms.slower_in_int8.empty())
    observer.log(LogLevel::Info,
                 fmt::format("{} of {} ops stay in fp32, where they are faster: {}", forms.slower_in_int8.size(),
                             forms.times.size(), fmt::join(forms.slower_in_int8, ", ")));
}

// Keys that change trials or verdicts. The budget is not among them: a study may be resumed with a larger one.
StudyIdentity identity_of(const Bench& bench, const Config& config, const OwnParts& own, const Evaluator& evaluator) {
  Json settings = Json::object();
  for (const std::string& line : describe(config)) {
    const auto equals = line.find(" = ");
    const std::string key = line.substr(0, equals);
    if (key.starts_with("tuning.exit_policy.max_trials") || key.starts_with("tuning.exit_policy.timeout") ||
        key.starts_with("tuning.workspace"))
      continue;
    // A key of several components has a line for each.
    const std::string value = line.substr(equals + 3);
    settings[key] = settings.contains(key) ? settings[key].get<std::string>() + ", " + value : value;
  }
  if (!own.metrics.empty()) settings["own metrics"] = names_of(own.metrics);
  settings["half_range"] = use_half_range(config, bench.cpu);
  settings["cpu_class"] = bench.cpu.cpu_class();
  return {bench.name, bench.model.fingerprint,
          fmt::format("calibration {}; evaluation {}", bench.calibration.identity(), evaluator.identity()),
          settings.dump()};
}

Goal make_goal(const Config& config, const Evaluator& evaluator, double baseline) {
  Goal goal;
  goal.baseline = baseline;
  goal.tolerance = config.tuning.criterion.tolerance;
  goal.relative = config.tuning.criterion.relative;
  goal.higher_is_better = config.tuning.criterion.higher_is_better && evaluator.higher_is_better();
  goal.performance_only = config.tuning.exit_policy.performance_only;
  if (!std::isfinite(baseline) && !goal.performance_only)
    throw ModelError("tune",
                     "the fp32 model's accuracy on these data is not a finite number: its outputs, or the labels, hold "
                     "one that is not; is the preprocessing right?");
  if (goal.relative && baseline == 0 && evaluator.compares_with_fp32() && !goal.performance_only)
    throw ConfigError("tune",
                      "the metric compares with the fp32 model, whose own error is 0, of which a relative loss means "
                      "nothing; use tuning.accuracy_criterion.absolute: the largest error that is allowed");
  if (goal.relative && baseline == 0 && !goal.performance_only)
    throw ConfigError("tune",
                      "the fp32 model's accuracy is 0, of which a relative loss means nothing; use "
                      "tuning.accuracy_criterion.absolute");
  return goal;
}

// Reads `key` from the store, or makes and stores it: what is measured is stored before it is used.
template <typename Make>
std::string stored(Store& store, StudyId study, const std::string& key, Make&& make) {
  if (auto kept = store.get(study, key)) return *kept;
  store.put(study, key, make());
  return *store.get(study, key);
}

std::optional<SavedOnnx> saved_onnx(const fs::path& folder) {
  const fs::path path = folder / "model.onnx";
  if (!fs::exists(path)) return std::nullopt;
  return SavedOnnx{path, fs::file_size(path)};
}

}  // namespace

Config load_config(const std::vector<std::string>& files, const std::vector<std::string>& overrides) {
  return load_config(files, overrides, component_tables());
}

TuneResult tune(const Config& config, const TuneOptions& options, const Observer& observer) {
  const auto start = Clock::now();
  const auto strategy = make_strategy(config.tuning.strategy);
  const auto evaluator = make_evaluator(config, options.own);
  Bench bench = prepare(config, options, observer);

  // Data that do not fit the model are told before anything is written.
  const bool has_data = options.own.evaluation_data || config.accuracy.loader;
  const DataLoader samples = has_data ? evaluation_loader(config, options.own) : bench.calibration;
  Meter meter(bench.model, *evaluator, samples, {.warmup = config.performance ? config.performance->warmup : 5});

  Workspace workspace(workspace_path(config, bench.model));
  const fs::path output = options.output.empty() ? workspace.path() / "best" : options.output;
  make_folder(output);  // before any work is done that could not be saved
  remove_leftovers(output);
  Store& store = workspace.store();
  const StudyId study = open_study(store, identity_of(bench, config, options.own, *evaluator), options.resume);
  const bool has_run_before = store.get(study, "baseline").has_value();

  TuneResult result;
  result.cpu = bench.cpu;
  result.workspace = workspace.path();
  result.metric = evaluator->metric();
  result.baseline =
      measured_from_json(stored(store, study, "baseline", [&] { return to_json(meter.baseline(observer)); }));
  result.goal = make_goal(config, *evaluator, result.baseline.accuracy);
  if (options.on_baseline) options.on_baseline(result.baseline, result.goal);
  const StatisticsBySize statistics = stored_statistics(store, study, bench, config, observer);
  widen_weights(bench, config, statistics.begin()->second);
  const std::string forms = stored(store, study, "forms", [&] {
    return to_json(measure_forms(bench, statistics.begin()->second, meter.sample(), config, observer));
  });
  apply_forms(bench, forms_from_json(forms), config, observer);
  const double seconds_before =
      std::stod(stored(store, study, "seconds_before_trials", [&] { return std::to_string(seconds_since(start)); }));

  const auto deployment = [&](const Trial& trial) {
    return Deployment{bench.name,      bench.model, trial.plan,      bench.cpu,
                      options.command, result.goal, result.baseline, trial};
  };
  const auto save = [&](const Trial& trial) {
    save_deployment(output, resolve(bench.model, trial.plan, statistics.at(trial.plan.sampling_size)),
                    deployment(trial), observer);
  };
  const Attempt attempt = [&](const Plan& plan, const Observer& watched) {
    return meter.measure(quantize(bench.model, plan, statistics.at(plan.sampling_size)), watched);
  };
  const StudyEvents events{[&](const Trial& trial, bool is_best) {
    if (is_best) save(trial);
    if (options.on_trial) options.on_trial(trial, is_best);
  }};

  if (has_run_before) evaluator->prepare(bench.model, observer);
  Study loop(store, study,
             {bench.space, result.goal, config.tuning.objective, config.tuning.exit_policy, config.tuning.random_seed,
              seconds_before});
  StudyOutcome outcome = loop.run(*strategy, attempt, events, observer);

  // A run that was killed after a trial was stored and before its model was saved left that to its successor.
  if (outcome.best && !is_deployed(output, deployment(*outcome.best))) save(*outcome.best);
  if (outcome.best) {
    result.model = output / "model.xml";
    result.model_bytes = fs::file_size(output / "model.xml") + fs::file_size(output / "model.bin");
    result.onnx = saved_onnx(output);
  }
  result.goal_met = outcome.goal_met;
  result.reason = outcome.reason;
  result.best = std::move(outcome.best);
  result.trials = std::move(outcome.trials);
  result.seconds = seconds_before;
  result.evaluated_samples = result.baseline.samples;
  for (const Trial& trial : result.trials) {
    result.seconds += trial.seconds;
    if (trial.result) result.evaluated_samples += trial.result->samples;
  }
  return result;
}

QuantizeResult quantize_once(const Config& config, const TuneOptions& options, const Observer& observer) {
  Bench bench = prepare(config, options, observer);
  const Statistics statistics = calibrate(bench, config, observer).begin()->second;
  widen_weights(bench, config, statistics);
  apply_forms(bench, measure_forms(bench, statistics, first_sample(bench.model, bench.calibration), config, observer),
              config, observer);
  const Plan plan = first_plan(bench.space);
  const Edits edits = resolve(bench.model, plan, statistics);
  const fs::path output = options.output.empty() ? workspace_path(config, bench.model) / "quantized" : options.output;
  remove_leftovers(output);
  QuantizeResult result;
  result.model_bytes =
      save_deployment(output, edits, {bench.name, bench.model, plan, bench.cpu, options.command}, observer);
  result.model = output / "model.xml";
  result.onnx = saved_onnx(output);
  result.source_bytes = bench.model.size_bytes;
  result.int8_ops = plan.int8_count();
  result.fp32_ops = plan.ops.size() - plan.int8_count();
  result.calibration_samples =
      std::min(*std::min_element(config.quantization.sampling_sizes.begin(), config.quantization.sampling_sizes.end()),
               bench.calibration.size());
  return result;
}

}  // namespace lpot
