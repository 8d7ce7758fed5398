// What a YAML file says, as plain values with the defaults of LPOT. Made by load_config (load.h), or in code:
//
//   Config config;
//   config.tuning.criterion = {.relative = false, .tolerance = 0.02};
//   config.accuracy.metrics = {parse_component("topk: 1", metrics())};
//
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lpot/core/component.h"
#include "lpot/core/recipe.h"
#include "lpot/core/scheme.h"

namespace lpot {

enum class Framework {
  Auto,  // detected from the model file
  Onnx,  // also onnxrt_integerops, onnxrt_qlinearops
  TensorFlow,
  TensorFlowLite,
  PyTorch,
  OpenVino,
};

enum class Approach { StaticQuantization, DynamicQuantization };
enum class LastBatch { Rollover, Discard };  // keep a short last batch, or drop it

struct ModelConfig {
  std::string name;  // names the workspace; "" in iLiT files, where the name of the model file is used instead
  Framework framework = Framework::Auto;
  std::string framework_name = "auto";  // as written
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, std::vector<std::int64_t>> input_shapes;  // -1: dynamic
  std::map<std::string, std::string> state;  // from an output to the input that it feeds in the next step
};

// A part of the samples of a data set, as fractions of a fixed random order. Parts that do not overlap have no sample
// in common.
struct Subset {
  double from = 0;
  double to = 1;

  bool operator==(const Subset&) const = default;
};

struct LoaderConfig {
  std::size_t batch_size = 1;
  LastBatch last_batch = LastBatch::Rollover;
  bool shuffle = false;
  std::vector<std::size_t> sequence_lengths = {};  // as in LoaderOptions
  std::optional<std::size_t> label_balance = {};   // filter.LabelBalance.size: number of objects per sample
  std::optional<Subset> subset = {};               // unset: all samples
  bool skip_unreadable = false;                    // on_error: skip
  Component dataset = {};                          // without a name: the caller provides it (tune/user_components.h)
  std::vector<Component> transforms = {};          // in written order
  Place place = {};
};

// The quantization settings that a tensor may use. An empty list allows all.
struct TensorRestriction {
  std::vector<Precision> precisions;
  std::vector<Granularity> granularities;
  std::vector<Symmetry> symmetries;
  std::vector<Algorithm> algorithms;
  std::optional<double> bits;  // fewer bits use a smaller range of integers

  bool operator==(const TensorRestriction&) const = default;
};

struct OpRestriction {
  TensorRestriction weight;
  TensorRestriction activation;
  Place place = {};
};

struct RecipeConfig {
  // Values set by the user, by RecipeDeclaration::name. The tuner decides the other recipes.
  std::map<std::string, RecipeValue> values;
  std::map<std::string, std::string> advance;  // quantization.advance as written, by key
  bool first_conv_or_matmul_quantization = true;
  std::optional<bool> half_range;        // unset: the tuner decides
  bool measured_kernel_variants = true;  // time kernel variants on this machine; false: use no variants
};

struct QuantizationConfig {
  Approach approach = Approach::StaticQuantization;
  std::vector<std::size_t> sampling_sizes = {100};
  std::optional<LoaderConfig> calibration;
  // Of everything that is not int8; unset: the runtime's default on this CPU.
  std::optional<InferencePrecision> precision;
  RecipeConfig recipes;
  OpRestriction model_wise;
  std::vector<std::pair<std::string, OpRestriction>> op_wise;  // in written order
};

struct Criterion {
  bool relative = true;  // else absolute
  double tolerance = 0.01;
  bool higher_is_better = true;

  bool operator==(const Criterion&) const = default;
};

struct ExitPolicy {
  double timeout_seconds = 0;  // 0: stop at the first trial that meets the criterion
  std::size_t max_trials = 100;
  bool performance_only = false;
};

struct TuningConfig {
  Component strategy = {"basic", {}, {}};
  Criterion criterion;
  Objective objective = Objective::Performance;
  ExitPolicy exit_policy;
  std::uint64_t random_seed = 1978;
  bool tensorboard = false;
  std::string workspace;    // "": ./lpot_workspace/<name>-<framework>
  std::string resume_from;  // tuning.workspace.resume
};

struct InstanceConfig {
  std::optional<int> cores_per_instance;
  std::optional<int> num_of_instance;
  std::optional<int> inter_num_of_threads;
  std::optional<int> intra_num_of_threads;
  std::optional<int> kmp_blocktime;
};

struct AccuracyConfig {
  std::vector<Component> metrics;  // tuning uses the first one
  std::optional<LoaderConfig> loader;
  std::vector<Component> postprocess;
  std::int64_t iteration = -1;  // batches; -1: all
  InstanceConfig instances;
  std::string command;               // evaluation.accuracy.command
  std::optional<double> confidence;  // evaluation.accuracy.confidence
};

struct PerformanceConfig {
  int warmup = 5;
  std::int64_t iteration = -1;
  std::optional<LoaderConfig> loader;
  InstanceConfig instances;
};

struct Config {
  ModelConfig model;
  QuantizationConfig quantization;
  TuningConfig tuning;
  AccuracyConfig accuracy;
  std::optional<PerformanceConfig> performance;
  std::vector<std::string> files;     // in the order they were merged
  std::vector<std::string> warnings;  // for the user; each starts with file:line
};

}  // namespace lpot
