// The models, settings and data of `lpot bench`.
//
// Settings come from the options and from evaluation.performance of the configuration. Models are loaded in OpenVINO
// or, with --runtime onnxruntime, in ONNX Runtime.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/model_options.h"
#include "cli/runtime_option.h"
#include "cli/verbs.h"
#include "lpot/data/loader.h"
#include "lpot/runtime/comparison.h"
#include "lpot/runtime/precision.h"

namespace lpot::cli {

struct BenchVerb {
  std::vector<std::string> models;
  std::optional<std::size_t> batch_size;
  int threads = 0;
  double seconds = 5;
  std::optional<int> warmup;
  std::vector<std::string> shapes;
  std::vector<std::string> precisions;  // one for all models, or one for each
  ModelOptions options;
  std::vector<std::string> configs;
  std::vector<std::string> overrides;
  std::optional<int> instances;
  std::optional<int> cores_per_instance;
  std::vector<int> instance_cores;  // this process is an instance
  std::string runtime = kOpenVino;
};

// The options merged with evaluation.performance of the config. Options override the config.
struct BenchSettings {
  LoadOptions load;
  std::optional<DataLoader> data;
  std::size_t batch_size = 1;
  int threads = 0;
  int warmup = 5;
  std::size_t runs = 0;  // 0: as many as the time allows
  std::optional<int> instances;
  std::optional<int> cores_per_instance;
};

BenchSettings settings_of(const BenchVerb&, const Context&);

// Compiled models with the batches that they run on.
struct LoadedModels {
  std::vector<std::string> paths;
  std::vector<InferencePrecision> precisions;
  std::vector<std::unique_ptr<Executable>> executables;
  std::vector<TimedModel> contenders;
  // With --runtime onnxruntime, instead of executables and contenders.
  std::shared_ptr<OnnxRuntime> onnxruntime;
  std::vector<std::unique_ptr<OnnxRuntimeModel>> onnxruntime_models;
};

// `with_default`: where the runtime's default is not f32, the first model also runs in that precision, as programs
// without settings run it.
LoadedModels load_models(const BenchVerb&, const BenchSettings&, bool with_default);
LoadedModels load_in_onnxruntime(const BenchVerb&, const BenchSettings&, int threads);

Comparison compare(const LoadedModels&, const ComparisonOptions&);

// The path, with the precision where it is not certain.
std::string title_of(const LoadedModels&, std::size_t index);

}  // namespace lpot::cli
