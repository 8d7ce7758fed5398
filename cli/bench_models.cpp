#include "cli/bench_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "cli/terminal.h"
#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "lpot/report/deploy.h"
#include "lpot/runtime/fit.h"
#include "lpot/tune/setup.h"

namespace lpot::cli {
namespace {

constexpr std::size_t kMaxBatches = 64;  // read from the data and repeated

using Batches = std::vector<std::vector<Tensor>>;  // each one tensor per input

Batches read_batches(const Model& model, const DataLoader& data) {
  const InputFit fit(model, data.dataset().input_naming());
  Batches batches;
  for (BatchStream stream = data.read(); auto batch = stream.next();) {
    batches.push_back(fit.apply(batch->inputs));
    // Batches of another shape, such as a short last one, would need another compilation.
    const auto differs = [](const Tensor& a, const Tensor& b) { return a.shape() != b.shape(); };
    if (!std::equal(batches.back().begin(), batches.back().end(), batches.front().begin(), std::not_fn(differs)))
      batches.pop_back();
    if (batches.size() == kMaxBatches) break;
  }
  if (batches.empty()) throw DataError("bench", "evaluation.performance.dataloader: the data set is empty");
  return batches;
}

// Shapes in the deploy.yaml files beside the models. The fp32 model has none, but gets those of its int8 model.
InputShapes find_deployed_shapes(const std::vector<std::string>& models) {
  InputShapes shapes;
  for (const std::string& path : models) shapes.merge(deployed_shapes(std::filesystem::path(path).parent_path()));
  return shapes;
}

// `given`, and deployed shapes for the inputs that still have a dynamic dimension besides the batch.
InputShapes complete_shapes(const Model& model, InputShapes given, const InputShapes& deployed,
                            std::size_t batch_size) {
  for (const Port& port : model_inputs(model)) {
    const auto found = deployed.find(port.name);
    if (found == deployed.end() || found->second.size() != port.shape.size() || port.shape.empty()) continue;
    const bool is_open = std::any_of(port.shape.begin() + 1, port.shape.end(), [](auto size) { return size < 0; });
    if (!is_open || given.contains(port.name)) continue;
    auto shape = found->second;
    if (port.shape[0] < 0) shape[0] = static_cast<std::int64_t>(batch_size);
    given.emplace(port.name, std::move(shape));
  }
  return given;
}

// The precision of the option, else the one that the model was saved with, else f32.
InferencePrecision precision_of(const BenchVerb& verb, std::size_t index, const Model& model) {
  if (verb.precisions.empty()) return usable_precision(model.precision);
  return parse_precision(verb.precisions[verb.precisions.size() == 1 ? 0 : index], "--precision");
}

void check_precisions(const BenchVerb& verb) {
  if (verb.precisions.size() > 1 && verb.precisions.size() != verb.models.size())
    throw ConfigError("bench", fmt::format("--precision: got {} values for {} models; expected one value, or one for "
                                           "each model",
                                           verb.precisions.size(), verb.models.size()));
}

void add_model(LoadedModels& loaded, const std::string& path, const Model& model, const Batches& batches, int threads) {
  CompileOptions options{.threads = threads};
  for (const Tensor& input : batches.front()) options.input_shapes.push_back(input.shape());
  loaded.paths.push_back(path);
  loaded.precisions.push_back(model.precision);
  loaded.executables.push_back(std::make_unique<Executable>(model, options));
  loaded.contenders.emplace_back(*loaded.executables.back(), batches);
}

Batches batches_for(const BenchVerb& verb, const BenchSettings& settings, const Model& model) {
  if (settings.data) return read_batches(model, *settings.data);
  const InputShapes shapes = complete_shapes(model, parse_shapes(verb.shapes, "--shape", false),
                                             find_deployed_shapes(verb.models), settings.batch_size);
  return {generate_inputs(model, settings.batch_size, shapes)};
}

// Without files, the options --set are the whole configuration.
Config load_bench_config(const BenchVerb& verb) {
  if (!verb.configs.empty()) return load_config(verb.configs, verb.overrides, component_tables());
  return load_config_documents({{"bench", "model: {name: model}\n"}}, verb.overrides, component_tables());
}

}  // namespace

BenchSettings settings_of(const BenchVerb& verb, const Context& context) {
  BenchSettings settings;
  settings.load = verb.options.load_options();
  PerformanceConfig performance;
  if (!verb.configs.empty() || !verb.overrides.empty()) {
    const Config config = load_bench_config(verb);
    Terminal terminal(context.common);
    if (verb.instance_cores.empty())
      for (const std::string& warning : config.warnings) terminal.observer().log(LogLevel::Warning, warning);
    performance = config.performance.value_or(PerformanceConfig{});
    if (verb.options.is_empty()) settings.load = load_options(config.model);
    if (performance.loader) settings.data = make_loader(*performance.loader, config.tuning.random_seed);
  }
  if (settings.data) {
    LoaderOptions options = settings.data->options();
    options.batch_size = verb.batch_size.value_or(options.batch_size);
    options.drop_last = settings.data->size() >= options.batch_size;
    settings.data = settings.data->with(options);
    settings.batch_size = options.batch_size;
  } else {
    settings.batch_size = verb.batch_size.value_or(1);
  }
  settings.threads = verb.threads > 0 ? verb.threads : configured_threads(performance.instances);
  settings.warmup = verb.warmup.value_or(performance.warmup);
  settings.runs = performance.iteration > 0 ? static_cast<std::size_t>(performance.iteration) : 0;
  settings.instances = verb.instances ? verb.instances : performance.instances.num_of_instance;
  settings.cores_per_instance =
      verb.cores_per_instance ? verb.cores_per_instance : performance.instances.cores_per_instance;
  return settings;
}

LoadedModels load_models(const BenchVerb& verb, const BenchSettings& settings, bool with_default) {
  check_precisions(verb);
  LoadedModels loaded;
  std::optional<std::pair<Model, Batches>> first_in_default;
  for (std::size_t i = 0; i < verb.models.size(); ++i) {
    Model model = load_model(verb.models[i], settings.load);
    model.precision = precision_of(verb, i, model);
    const Batches batches = batches_for(verb, settings, model);
    add_model(loaded, verb.models[i], model, batches, settings.threads);
    if (i > 0 || !with_default || !verb.precisions.empty() || model.precision == default_precision()) continue;
    first_in_default = {model, batches};
    first_in_default->first.precision = default_precision();
  }
  if (first_in_default)
    add_model(loaded, verb.models[0], first_in_default->first, first_in_default->second, settings.threads);
  return loaded;
}

LoadedModels load_in_onnxruntime(const BenchVerb& verb, const BenchSettings& settings, int threads) {
  const auto refuse = [](const std::string& option) {
    throw ConfigError("bench", fmt::format("{} is not supported with --runtime onnxruntime; use OpenVINO", option));
  };
  if (!verb.precisions.empty()) refuse("--precision");
  if (settings.load.cuts()) refuse("a model that is cut at tensors");
  LoadedModels loaded;
  loaded.onnxruntime = start_runtime(verb.runtime);
  for (const std::string& path : verb.models) {
    auto model = std::make_unique<OnnxRuntimeModel>(loaded.onnxruntime->load(path, threads));
    for (const std::vector<Tensor>& batch : batches_for(verb, settings, model->ports))
      loaded.onnxruntime->add_timed_batch(*model, batch);
    loaded.paths.push_back(path);
    loaded.precisions.push_back(InferencePrecision::F32);
    loaded.onnxruntime_models.push_back(std::move(model));
  }
  return loaded;
}

Comparison compare(const LoadedModels& loaded, const ComparisonOptions& options) {
  if (!loaded.onnxruntime) return compare_latency(loaded.contenders, options);
  std::vector<std::unique_ptr<BlockTimer>> timers;
  for (const auto& model : loaded.onnxruntime_models) timers.push_back(onnxruntime_timer(*loaded.onnxruntime, *model));
  return compare_blocks(std::move(timers), options, loaded.onnxruntime->process());
}

std::string title_of(const LoadedModels& loaded, std::size_t index) {
  const InferencePrecision precision = loaded.precisions[index];
  if (loaded.onnxruntime) return loaded.paths[index];
  if (precision == InferencePrecision::F32 && default_precision() == InferencePrecision::F32)
    return loaded.paths[index];
  return fmt::format("{} in {}", loaded.paths[index], to_string(precision));
}

}  // namespace lpot::cli
