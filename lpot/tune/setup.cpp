#include "lpot/tune/setup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "lpot/core/error.h"
#include "lpot/data/filter.h"
#include "lpot/distributed/batch_executor.h"
#include "lpot/evaluate/postprocess.h"
#include "lpot/model/load.h"
#include "lpot/quantize/recipes/table.h"
#include "lpot/strategies/strategy.h"
#include "lpot/tune/precision_command.h"
#include "lpot/tune/zero_data.h"

namespace lpot {
namespace {

// The formats of model files that a framework reads.
std::vector<ModelFormat> formats_of(Framework framework) {
  using enum ModelFormat;
  switch (framework) {
    case Framework::Auto:
    case Framework::PyTorch:  // exported to ONNX or converted to IR
      break;
    case Framework::Onnx:
      return {Onnx};
    case Framework::TensorFlow:
      return {TensorFlow, TensorFlowLite, OpenVinoIr};
    case Framework::TensorFlowLite:
      return {TensorFlowLite, OpenVinoIr};
    case Framework::OpenVino:
      return {OpenVinoIr};
  }
  return {Onnx, TensorFlow, TensorFlowLite, Paddle, OpenVinoIr};
}

void check_framework(const ModelConfig& config, const Model& model) {
  const std::vector<ModelFormat> allowed = formats_of(config.framework);
  if (std::find(allowed.begin(), allowed.end(), model.format) != allowed.end()) return;
  std::vector<std::string_view> names;
  for (const ModelFormat format : allowed) names.push_back(to_string(format));
  throw ConfigError(
      "model",
      fmt::format("model.framework is {}, but {} is a model of {}; expected a model of {}. Change "
                  "model.framework or the file.",
                  config.framework_name, model.source.string(), to_string(model.format), fmt::join(names, ", ")));
}

// lpot saves models of every framework as OpenVINO IR, beside deploy.yaml.
bool is_saved_by_lpot(const Model& model) {
  std::error_code ignored;
  return model.format == ModelFormat::OpenVinoIr &&
         std::filesystem::exists(model.source.parent_path() / "deploy.yaml", ignored);
}

bool names_data(const std::optional<LoaderConfig>& loader) { return loader && !loader->dataset.name.empty(); }

std::vector<NamedMetric> all_metrics(const AccuracyConfig& config, const UserComponents& user) {
  std::vector<NamedMetric> metrics;
  for (const UserMetric& given : user.metrics) {
    if (!given.metric) throw ConfigError("evaluate", fmt::format("the metric '{}' is a null pointer", given.name));
    metrics.push_back({given.name, given.metric->fresh()});
  }
  for (NamedMetric& named : make_metrics(config.metrics)) metrics.push_back(std::move(named));
  return metrics;
}

}  // namespace

const ComponentTables& component_tables() {
  static const ComponentTables kTables{datasets(), transforms(), postprocesses(),
                                       metrics(),  strategies(), recipe_declarations()};
  return kTables;
}

DataLoader make_loader(const LoaderConfig& config, std::uint64_t seed, std::shared_ptr<const Dataset> user) {
  std::vector<Transform> chain;
  for (const Component& component : config.transforms) chain.push_back(make_transform(component));
  LoaderOptions options;
  options.batch_size = config.batch_size;
  options.drop_last = config.last_batch == LastBatch::Discard;
  options.shuffle = config.shuffle;
  options.sequence_lengths = config.sequence_lengths;
  options.seed = seed;
  std::shared_ptr<const Dataset> dataset = user ? std::move(user) : make_dataset(config.dataset);
  if (config.subset) dataset = select_subset(std::move(dataset), config.subset->from, config.subset->to);
  if (config.skip_unreadable) dataset = select_readable(std::move(dataset));
  if (config.label_balance) dataset = balance_labels(std::move(dataset), *config.label_balance);
  return DataLoader(std::move(dataset), std::move(chain), options);
}

bool has_evaluation_data(const Config& config, const UserComponents& user) {
  return user.evaluation_data || names_data(config.accuracy.loader);
}

DataLoader evaluation_loader(const Config& config, const UserComponents& user) {
  if (!has_evaluation_data(config, user))
    throw ConfigError(
        "data",
        "no evaluation data; set evaluation.accuracy.dataloader with a dataset ('lpot init MODEL' writes an "
        "example)");
  DataLoader loader =
      make_loader(config.accuracy.loader.value_or(LoaderConfig{}), config.tuning.random_seed, user.evaluation_data);
  if (config.accuracy.iteration < 0) return loader;
  LoaderOptions options = loader.options();
  options.limit = static_cast<std::size_t>(config.accuracy.iteration) * options.batch_size;
  return loader.with(options);
}

int configured_threads(const InstanceConfig& config) {
  return config.cores_per_instance.value_or(config.intra_num_of_threads.value_or(0));
}

std::unique_ptr<Evaluator> make_evaluator(const Config& config, const UserComponents& user, Coordinator* coordinator,
                                          std::shared_ptr<const BatchExecutor> executor) {
  const AccuracyConfig& accuracy = config.accuracy;
  if (user.evaluation.function) {
    if (!user.metrics.empty())
      throw ConfigError("evaluate", "the caller gives both an evaluation function and metrics; give only one of them");
    return std::make_unique<CallerEvaluator>(user.evaluation.name, user.evaluation.function);
  }
  const bool is_cut = !config.model.inputs.empty() || !config.model.outputs.empty();
  if (!accuracy.command.empty() && !user.metrics.empty())
    throw ConfigError("evaluate",
                      "evaluation.accuracy.command is set and the caller gives metrics; use only one of them");
  if (!accuracy.command.empty()) return std::make_unique<PrecisionCommandEvaluator>(accuracy.command, !is_cut);
  if (accuracy.metrics.empty() && user.metrics.empty())
    throw ConfigError(
        "evaluate",
        "no metric; set evaluation.accuracy.metric, for example 'topk: 1' (or 'Agreement: {}' when there are "
        "no labels), or set evaluation.accuracy.command to a program that evaluates a model");
  Postprocesses postprocess = make_postprocesses(accuracy.postprocess);
  postprocess.insert(postprocess.end(), user.postprocess.begin(), user.postprocess.end());
  EvaluateOptions options{.threads = configured_threads(accuracy.instances),
                          .confidence = accuracy.confidence,
                          .postprocess = std::move(postprocess)};
  options.executor = executor ? std::move(executor) : make_executor(coordinator);
  return std::make_unique<DataEvaluator>(evaluation_loader(config, user), all_metrics(accuracy, user),
                                         std::move(options));
}

bool has_calibration_data(const Config& config, const UserComponents& user) {
  return user.calibration_data || names_data(config.quantization.calibration);
}

WithWarnings<DataLoader> calibration_loader(const Config& config, const UserComponents& user) {
  const LoaderConfig evaluation = config.accuracy.loader.value_or(LoaderConfig{});
  if (has_calibration_data(config, user))
    return {make_loader(config.quantization.calibration.value_or(evaluation), config.tuning.random_seed,
                        user.calibration_data)};
  if (!has_evaluation_data(config, user))
    throw ConfigError(
        "data",
        "no calibration data; set quantization.calibration.dataloader (or evaluation.accuracy.dataloader) "
        "with a dataset");
  static constexpr const char* kWarning =
      "quantization.calibration.dataloader is not set: calibrating with the evaluation data, so the measured accuracy "
      "may be slightly too high";
  return {make_loader(evaluation, config.tuning.random_seed, user.evaluation_data), {kWarning}};
}

DataLoader speed_loader(const Config& config, const Model& model, const UserComponents& user) {
  const bool has_data = has_calibration_data(config, user) || has_evaluation_data(config, user);
  if (has_data) return calibration_loader(config, user).value;  // nothing is calibrated: no warning
  return make_loader({}, config.tuning.random_seed, zero_data(model));
}

WithWarnings<DataLoader> first_loader(const Config& config, const Model& model, const UserComponents& user) {
  if (config.quantization.approach == Approach::StaticQuantization) return calibration_loader(config, user);
  return {speed_loader(config, model, user)};
}

LoadOptions load_options(const ModelConfig& config) {
  return {config.inputs, config.outputs, config.input_shapes, config.state};
}

Model load_configured_model(const Config& config, const std::filesystem::path& path) {
  if (path.empty())
    throw ConfigError("model", fmt::format("no model; give its file with --model FILE ({})", kModelFiles));
  Model model = load_model(path, load_options(config.model));
  if (!is_saved_by_lpot(model)) check_framework(config.model, model);
  return model;
}

bool use_half_range(const Config& config, const Cpu& cpu) {
  // Models with int8 weights only do no integer products on CPUs without VNNI, so nothing can overflow.
  const bool is_static = config.quantization.approach == Approach::StaticQuantization;
  return config.quantization.recipes.half_range.value_or(is_static && cpu.needs_half_range());
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
                     "the fp32 model's accuracy on these data is not a finite number; check the labels and the "
                     "preprocessing for NaN or infinite values");
  if (goal.relative && baseline == 0 && evaluator.compares_with_fp32() && !goal.performance_only)
    throw ConfigError(
        "tune",
        "the metric compares with the fp32 model, whose error is 0, so a relative criterion cannot be used; set "
        "tuning.accuracy_criterion.absolute to the largest error that is allowed");
  if (goal.relative && baseline == 0 && !goal.performance_only)
    throw ConfigError("tune",
                      "the fp32 model's accuracy is 0, so a relative criterion cannot be used; set "
                      "tuning.accuracy_criterion.absolute");
  return goal;
}

Config load_config(const std::vector<std::string>& files, const std::vector<std::string>& overrides) {
  return load_config(files, overrides, component_tables());
}

}  // namespace lpot
