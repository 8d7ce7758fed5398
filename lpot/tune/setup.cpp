#include "lpot/tune/setup.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/data/filter.h"
#include "lpot/evaluate/postprocess.h"
#include "lpot/model/load.h"
#include "lpot/tune/strategy.h"
#include "lpot/tune/zero_data.h"

namespace lpot {
namespace {

bool reads(Framework framework, ModelFormat format) {
  switch (framework) {
    case Framework::Auto:
    case Framework::PyTorch:
      return true;  // exported to ONNX or converted to IR
    case Framework::Onnx:
      return format == ModelFormat::Onnx;
    case Framework::TensorFlow:
      return format != ModelFormat::Onnx && format != ModelFormat::Paddle;
    case Framework::TensorFlowLite:
      return format == ModelFormat::TensorFlowLite || format == ModelFormat::OpenVinoIr;
    case Framework::OpenVino:
      return format == ModelFormat::OpenVinoIr;
  }
  return false;
}

bool names_data(const std::optional<LoaderConfig>& loader) { return loader && !loader->dataset.name.empty(); }

std::vector<NamedMetric> all_metrics(const AccuracyConfig& config, const OwnParts& own) {
  std::vector<NamedMetric> metrics;
  for (const OwnMetric& given : own.metrics) {
    if (!given.metric) throw ConfigError("evaluate", fmt::format("the metric '{}' is a null pointer", given.name));
    metrics.push_back({given.name, given.metric->fresh()});
  }
  for (NamedMetric& named : make_metrics(config.metrics)) metrics.push_back(std::move(named));
  return metrics;
}

}  // namespace

const ComponentTables& component_tables() {
  static const ComponentTables kTables{datasets(), transforms(), postprocesses(), metrics(), strategies()};
  return kTables;
}

DataLoader make_loader(const LoaderConfig& config, std::uint64_t seed, std::shared_ptr<const Dataset> own) {
  std::vector<Transform> chain;
  for (const Component& component : config.transforms) chain.push_back(make_transform(component));
  LoaderOptions options;
  options.batch_size = config.batch_size;
  options.drop_last = config.last_batch == LastBatch::Discard;
  options.shuffle = config.shuffle;
  options.seed = seed;
  std::shared_ptr<const Dataset> dataset = own ? std::move(own) : make_dataset(config.dataset);
  if (config.label_balance) dataset = balance_labels(std::move(dataset), *config.label_balance);
  return DataLoader(std::move(dataset), std::move(chain), options);
}

DataLoader evaluation_loader(const Config& config, const OwnParts& own) {
  if (!own.evaluation_data && !names_data(config.accuracy.loader))
    throw ConfigError("data",
                      "no evaluation data: the config needs evaluation.accuracy.dataloader with a dataset ('lpot init "
                      "MODEL' writes an example)");
  DataLoader loader =
      make_loader(config.accuracy.loader.value_or(LoaderConfig{}), config.tuning.random_seed, own.evaluation_data);
  if (config.accuracy.iteration < 0) return loader;
  LoaderOptions options = loader.options();
  options.limit = static_cast<std::size_t>(config.accuracy.iteration) * options.batch_size;
  return loader.with(options);
}

int configured_threads(const InstanceConfig& config) {
  return config.cores_per_instance.value_or(config.intra_num_of_threads.value_or(0));
}

std::unique_ptr<Evaluator> make_evaluator(const Config& config, const OwnParts& own, Crew* crew) {
  const AccuracyConfig& accuracy = config.accuracy;
  if (own.evaluation.function) {
    if (!own.metrics.empty())
      throw ConfigError("evaluate", "an evaluation and metrics of the caller's own are both given: give one");
    return std::make_unique<CallerEvaluator>(own.evaluation.name, own.evaluation.function);
  }
  const bool is_cut = !config.model.inputs.empty() || !config.model.outputs.empty();
  if (!accuracy.command.empty() && !own.metrics.empty())
    throw ConfigError("evaluate",
                      "evaluation.accuracy.command and metrics of the caller's own are both given: give one");
  if (!accuracy.command.empty()) return std::make_unique<CommandEvaluator>(accuracy.command, !is_cut);
  if (accuracy.metrics.empty() && own.metrics.empty())
    throw ConfigError("evaluate",
                      "no metric: the config needs evaluation.accuracy.metric, for example 'topk: 1' (or 'Agreement: "
                      "{}' when there are no labels), or a program that evaluates in evaluation.accuracy.command");
  Postprocesses postprocess = make_postprocesses(accuracy.postprocess);
  postprocess.insert(postprocess.end(), own.postprocess.begin(), own.postprocess.end());
  EvaluateOptions options{.threads = configured_threads(accuracy.instances),
                          .confidence = accuracy.confidence,
                          .postprocess = std::move(postprocess)};
  options.crew = crew;
  return std::make_unique<DataEvaluator>(evaluation_loader(config, own), all_metrics(accuracy, own),
                                         std::move(options));
}

DataLoader calibration_loader(const Config& config, std::vector<std::string>& warnings, const OwnParts& own) {
  const LoaderConfig evaluation = config.accuracy.loader.value_or(LoaderConfig{});
  if (own.calibration_data || names_data(config.quantization.calibration))
    return make_loader(config.quantization.calibration.value_or(evaluation), config.tuning.random_seed,
                       own.calibration_data);
  if (!own.evaluation_data && !names_data(config.accuracy.loader))
    throw ConfigError("data",
                      "no calibration data: the config needs quantization.calibration.dataloader (or "
                      "evaluation.accuracy.dataloader) with a dataset");
  static constexpr const char* kWarning =
      "quantization.calibration.dataloader is not given: calibrating with the evaluation data, so the accuracy may "
      "look a little better than it is";
  warnings.emplace_back(kWarning);
  return make_loader(evaluation, config.tuning.random_seed, own.evaluation_data);
}

DataLoader speed_loader(const Config& config, const Model& model, const OwnParts& own) {
  const bool has_data = own.calibration_data || own.evaluation_data || names_data(config.quantization.calibration) ||
                        names_data(config.accuracy.loader);
  std::vector<std::string> ignored;  // nothing is calibrated with them
  if (has_data) return calibration_loader(config, ignored, own);
  return make_loader({}, config.tuning.random_seed, zero_data(model));
}

DataLoader first_loader(const Config& config, const Model& model, std::vector<std::string>& warnings,
                        const OwnParts& own) {
  return config.quantization.approach == Approach::StaticQuantization ? calibration_loader(config, warnings, own)
                                                                      : speed_loader(config, model, own);
}

LoadOptions load_options(const ModelConfig& config) { return {config.inputs, config.outputs, config.input_shapes}; }

Model load_configured_model(const Config& config, const std::filesystem::path& path) {
  if (path.empty())
    throw ConfigError("model", fmt::format("no model: give its file with --model FILE ({})", kModelFiles));
  Model model = load_model(path, load_options(config.model));
  if (!reads(config.model.framework, model.format))
    throw ConfigError("model",
                      fmt::format("model.framework is {}, but {} is a model of {}; correct the one or the other",
                                  config.model.framework_name, path.string(), to_string(model.format)));
  return model;
}

bool use_half_range(const Config& config, const Cpu& cpu) {
  // Weights alone are never multiplied as integers where the CPU would need it.
  const bool is_static = config.quantization.approach == Approach::StaticQuantization;
  return config.quantization.recipes.half_range.value_or(is_static && cpu.needs_half_range());
}

}  // namespace lpot
