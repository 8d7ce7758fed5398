#include "lpot/report/deploy.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <regex>

#include "lpot/config/yaml.h"
#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/version.h"
#include "lpot/model/save.h"
#include "lpot/quantize/graph/edits_within.h"
#include "lpot/quantize/graph/onnx_runtime_reads.h"
#include "lpot/quantize/recipes/table.h"
#include "lpot/quantize/weights_only.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/report/deployment_files.h"
#include "lpot/report/output_formats.h"
#include "lpot/report/result.h"
#include "lpot/report/table.h"
#include "lpot/runtime/openvino_version.h"
#include "lpot/runtime/precision.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

template <typename Value>
void entry(YAML::Emitter& yaml, const char* key, const Value& value) {
  yaml << YAML::Key << key << YAML::Value << value;
}

void begin(YAML::Emitter& yaml, const char* key) { yaml << YAML::Key << key << YAML::Value << YAML::BeginMap; }

void write_measured(YAML::Emitter& yaml, const char* key, const Measurement& measured) {
  begin(yaml, key);
  begin(yaml, "metrics");
  for (const auto& [name, value] : measured.metrics) entry(yaml, name.c_str(), value);
  yaml << YAML::EndMap;
  entry(yaml, "samples", measured.samples);
  entry(yaml, "latency_ms", measured.latency_ms);
  entry(yaml, "speedup", measured.speedup);
  if (measured.speedup != 1) yaml << YAML::Comment("against fp32 in the same run");
  if (measured.speedup_high > 0) {
    entry(yaml, "speedup_low", measured.speedup_low);
    entry(yaml, "speedup_high", measured.speedup_high);
  }
  if (measured.speedup_vs_default > 0) {
    entry(yaml, "speedup_vs_default", measured.speedup_vs_default);
    yaml << YAML::Comment("against the model without int8 in the runtime's default precision");
  }
  entry(yaml, "size_bytes", measured.size_bytes);
  yaml << YAML::EndMap;
}

// The baseline with the latency that fp32 had in the run of the best trial, so that the two latencies compare.
Measurement comparable_baseline(const Deployment& deployment) {
  Measurement baseline = *deployment.baseline;
  if (deployment.trial && deployment.trial->result) baseline.latency_ms = fp32_latency_ms(*deployment.trial->result);
  return baseline;
}

void write_scheme(YAML::Emitter& yaml, const char* key, const TensorScheme& scheme) {
  yaml << YAML::Key << key << YAML::Value << YAML::Flow << YAML::BeginMap;
  entry(yaml, "granularity", std::string(to_string(scheme.granularity)));
  entry(yaml, "scheme", std::string(to_string(scheme.symmetry)));
  entry(yaml, "algorithm", std::string(to_string(scheme.algorithm)));
  if (scheme.bits != 8) entry(yaml, "bits", scheme.bits);
  yaml << YAML::EndMap;
}

void write_plan(YAML::Emitter& yaml, const Plan& plan) {
  begin(yaml, "plan");
  for (const auto& [name, op] : plan.ops) {
    begin(yaml, name.c_str());
    entry(yaml, "precision", std::string(to_string(op.precision)));
    if (op.is_int8()) {
      if (!op.weights_only) write_scheme(yaml, "activation", op.activation);
      write_scheme(yaml, "weight", op.weight);
      if (op.variant != KernelVariant::Plain) entry(yaml, "form", std::string(to_string(op.variant)));
    }
    yaml << YAML::EndMap;
  }
  yaml << YAML::EndMap;
}

// The precision, and the settings of OpenVINO that give the outputs that lpot evaluated.
void write_precision(YAML::Emitter& yaml, const Plan& plan) {
  std::map<std::string, std::string> settings = result_settings(plan.inference_precision);
  // The saved model names its own group size (writers/openvino.cpp), which a setting of the program overrides.
  if (is_weights_only(plan))
    settings["DYNAMIC_QUANTIZATION_GROUP_SIZE"] = std::to_string(plan.recipes.integer("run_time_groups"));
  entry(yaml, "precision", std::string(to_string(plan.inference_precision)));
  yaml << YAML::Comment("of everything that is not int8");
  begin(yaml, "runtime_settings");
  for (const auto& [name, value] : settings) entry(yaml, name.c_str(), value);
  yaml << YAML::EndMap;
}

void write_recipes(YAML::Emitter& yaml, const Recipes& recipes) {
  begin(yaml, "recipes");
  for (const RecipeDeclaration& recipe : recipe_declarations()) {
    const auto value = value_of(recipes, recipe);
    const bool is_listed = recipe.key.parameter.kind == ValueKind::Flag || is_on(recipes, recipe);
    if (!recipe.label.empty() && value && is_listed)
      std::visit([&](auto held) { entry(yaml, recipe.name.c_str(), held); }, *value);
  }
  yaml << YAML::EndMap;
}

void write_machine(YAML::Emitter& yaml, const Cpu& cpu) {
  begin(yaml, "machine");
  entry(yaml, "cpu", cpu.name);
  entry(yaml, "cpu_class", cpu.cpu_class());
  entry(yaml, "cores", cpu.cores);
  yaml << YAML::EndMap;
  begin(yaml, "versions");
  entry(yaml, "lpot", std::string(kVersion));
  entry(yaml, "openvino", openvino_version());
  yaml << YAML::EndMap;
}

void write_shapes(YAML::Emitter& yaml, const StaticShapes& shapes) {
  if (shapes.empty()) return;
  begin(yaml, "static_shapes");
  entry(yaml, "text",
        std::string("The model has dynamic input dimensions. It runs fastest when it is reshaped to static shapes, for "
                    "example these, before it is compiled. Compile it once for each shape that you use."));
  begin(yaml, "inputs");
  for (const auto& [name, shape] : shapes.inputs)
    yaml << YAML::Key << name << YAML::Value << YAML::Flow << std::vector<std::size_t>(shape.begin(), shape.end());
  yaml << YAML::EndMap;
  if (!shapes.lengths.empty()) yaml << YAML::Key << "lengths" << YAML::Value << YAML::Flow << shapes.lengths;
  entry(yaml, "python", shapes.python_line());
  entry(yaml, "cpp", shapes.cpp_line());
  yaml << YAML::EndMap;
}

void write_state(YAML::Emitter& yaml, const Model& model) {
  if (model.state.empty()) return;
  const std::vector<Port> inputs = model_inputs(model), outputs = model_outputs(model);
  begin(yaml, "state");
  entry(
      yaml, "text",
      std::string("The model has a state. After every step, copy each of these outputs to its input. At the start of a "
                  "sequence, set these inputs to zeros."));
  begin(yaml, "outputs");
  for (const StateBinding& bound : model.state)
    entry(yaml, outputs[bound.output].name.c_str(), inputs[bound.input].name);
  yaml << YAML::EndMap << YAML::EndMap;
}

// The error of a failed write, with the space that the model needs and the space that is there.
StoreError with_needed_space(const StoreError& error, const fs::path& folder, std::size_t needed) {
  const std::string message = error.what();  // "[operation] ..."
  const auto end = message.find("] ");
  std::error_code unknown;
  const fs::space_info space = fs::space(folder, unknown);
  return StoreError(message.substr(1, end - 1),
                    fmt::format("{} (model.xml and model.bin need {}{})", message.substr(end + 2), format_bytes(needed),
                                unknown ? "" : fmt::format("; {} are free", format_bytes(space.available))));
}

// Ops that are int8 in model.xml but not in this file.
void report_fp32_ops(const OutputFormat& format, const Edits& edits, const Model& source, const Observer& observer) {
  if (!edits.sequences.empty())
    observer.log(LogLevel::Info,
                 fmt::format("{}: {} recurrent ops that are int8 in model.xml stay in fp32, because {} has no int8 "
                             "kernels for them",
                             format.file, edits.sequences.size(), format.framework));
  const Edits of_main_graph = edits_of_main_graph(source, edits);
  const std::size_t in_bodies =
      edits.ops.size() + edits.products.size() - of_main_graph.ops.size() - of_main_graph.products.size();
  if (in_bodies > 0)
    observer.log(LogLevel::Info,
                 fmt::format("{}: {} ops inside If, Loop or TensorIterator that are int8 in model.xml stay in fp32, "
                             "because lpot does not write quantizers into the bodies of this format",
                             format.file, in_bodies));
  const std::size_t in_fp32 = edits.onnx_runtime ? 0 : count_float_outputs(source, of_main_graph);
  if (in_fp32 > 0)
    observer.log(LogLevel::Info,
                 fmt::format("{}: {} int8 convolutions run in fp32 in {}, because their outputs are not quantized. If "
                             "you deploy this file, set quantization.recipes.onnx_runtime: true",
                             format.file, in_fp32, format.framework));
}

// The file with the values of the large tensors of a large model.
fs::path data_of(const fs::path& model) { return fs::path(model).concat(".data"); }

// Writes a model in the other formats that its source allows. The files have temporary names until publish().
class StagedExports {
 public:
  explicit StagedExports(fs::path folder) : folder_(std::move(folder)) {}
  StagedExports(const StagedExports&) = delete;
  StagedExports& operator=(const StagedExports&) = delete;
  ~StagedExports() {
    std::error_code ignored;
    for (const auto& [format, path] : staged_) {
      fs::remove(path, ignored);
      fs::remove(data_of(path), ignored);
    }
  }

  void write(const Edits& edits, const Model& source, const Observer& observer) {
    for (const OutputFormat& format : output_formats()) {
      if (source.format != format.source) continue;
      const std::string extension = fs::path(format.file).extension().string();
      const fs::path staged = folder_ / fmt::format("model.{}.tmp{}", ::getpid(), extension);
      try {
        create_folder(folder_);
        staged_.emplace_back(&format, staged);
        format.write(source, edits, staged, format.file);
        report_fp32_ops(format, edits, source, observer);
      } catch (const ModelError& error) {
        staged_.pop_back();
        std::error_code ignored;
        fs::remove(data_of(staged), ignored);
        observer.log(LogLevel::Warning, fmt::format("{} is not written: {}", format.file, error.what()));
      }
    }
  }

  // Replaces the files of an earlier model.
  void publish(const Model& source) const {
    std::error_code ignored, failed;
    remove_optional_files(folder_);
    for (const OutputFormat& format : output_formats()) {
      if (source.format != format.source) continue;
      fs::remove(folder_ / format.file, ignored);
      fs::remove(data_of(folder_ / format.file), ignored);
    }
    for (const auto& [format, path] : staged_) {
      if (fs::exists(data_of(path), ignored)) fs::rename(data_of(path), data_of(folder_ / format->file), failed);
      if (!failed) fs::rename(path, folder_ / format->file, failed);
      if (failed)
        throw StoreError("write", fmt::format("{}: {}. Check that the disk is not full or read-only",
                                              (folder_ / format->file).string(), failed.message()));
    }
  }

 private:
  fs::path folder_;
  std::vector<std::pair<const OutputFormat*, fs::path>> staged_;
};

// Matches names of temporary files; the first group is the process.
std::regex temporary_files() {
  std::string endings = "xml|bin|yaml|json|html";
  for (const OutputFormat& format : output_formats()) {
    const std::string ending = fs::path(format.file).extension().string().substr(1);
    endings += "|" + ending + "|" + ending + R"(\.data)";
  }
  return std::regex(R"((?:model|deploy|result|report)\.(\d+)\.tmp(?:\.\d+\.tmp)?\.(?:)" + endings + ")");
}

}  // namespace

std::string deploy_yaml(const Deployment& deployment) {
  YAML::Emitter yaml;
  yaml.SetDoublePrecision(6);
  yaml << YAML::BeginMap;
  begin(yaml, "model");
  entry(yaml, "name", deployment.model_name);
  entry(yaml, "source", deployment.source.source.string());
  entry(yaml, "format", std::string(to_string(deployment.source.format)));
  entry(yaml, "fingerprint", deployment.source.fingerprint);
  yaml << YAML::EndMap;
  if (deployment.goal) {
    begin(yaml, "goal");
    entry(yaml, "text", deployment.goal->describe());
    entry(yaml, "met",
          deployment.trial && deployment.trial->result && deployment.goal->met(deployment.trial->result->accuracy));
    yaml << YAML::EndMap;
  }
  if (deployment.baseline) write_measured(yaml, "baseline", comparable_baseline(deployment));
  if (deployment.trial && deployment.trial->result) {
    entry(yaml, "trial", deployment.trial->number);
    write_measured(yaml, "best", *deployment.trial->result);
  }
  write_machine(yaml, deployment.cpu);
  const bool is_dynamic = is_weights_only(deployment.plan);
  entry(yaml, "approach", std::string(is_dynamic ? "post_training_dynamic_quant" : "post_training_static_quant"));
  if (is_dynamic) entry(yaml, "activations", describe_activations(deployment.plan, deployment.cpu));
  write_precision(yaml, deployment.plan);
  write_shapes(yaml, deployment.shapes);
  write_state(yaml, deployment.source);
  entry(yaml, "command", deployment.command);
  entry(yaml, "plan_hash", plan_hash(deployment.plan));
  write_recipes(yaml, deployment.plan.recipes);
  yaml << YAML::Key << "fallback" << YAML::Value << deployment.plan.fallback();
  write_plan(yaml, deployment.plan);
  yaml << YAML::EndMap;
  return std::string(yaml.c_str()) + "\n";
}

std::size_t save_deployment(const fs::path& folder, const Edits& edits, const Deployment& deployment,
                            const Observer& observer) {
  // Large files are written before any existing file is replaced.
  StagedExports exports(folder);
  std::size_t bytes = 0;
  try {
    exports.write(edits, deployment.source, observer);
    bytes = save_model(apply(deployment.source, edits), folder / "model.xml");
  } catch (const StoreError& error) {
    throw with_needed_space(error, folder, saved_size(apply(deployment.source, edits)));
  }
  exports.publish(deployment.source);
  write_file(folder / "deploy.yaml", deploy_yaml(deployment));
  return bytes;
}

bool is_deployed(const fs::path& folder, const Deployment& deployment) {
  if (!fs::exists(folder / "model.xml") || !fs::exists(folder / "model.bin") || !fs::exists(folder / "deploy.yaml"))
    return false;
  try {
    const yaml::Node found = yaml::parse_yaml(yaml::read_text((folder / "deploy.yaml").string()), "deploy.yaml");
    const yaml::Node expected = yaml::parse_yaml(deploy_yaml(deployment), "deploy.yaml");
    // A trial of another study may have the same number and plan but other ranges; its latency differs.
    const auto keys = {"model", "trial", "best", "plan_hash"};
    return std::all_of(keys.begin(), keys.end(), [&](const char* key) {
      const yaml::Node *was = yaml::find(found, key), *is = yaml::find(expected, key);
      return was && is ? yaml::same(*was, *is) : was == is;
    });
  } catch (const ConfigError&) {
    return false;
  }
}

std::map<std::string, std::vector<std::int64_t>> deployed_shapes(const fs::path& folder) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  try {
    const yaml::Node document = yaml::parse_yaml(yaml::read_text((folder / "deploy.yaml").string()), "deploy.yaml");
    const yaml::Node* found = yaml::find(document, "static_shapes");
    const yaml::Node* inputs = found ? yaml::find(*found, "inputs") : nullptr;
    if (!inputs || !inputs->is_map()) return {};
    for (const yaml::Node& input : inputs->items)
      for (const yaml::Node& dimension : input.items) {
        const long value = std::atol(dimension.text.c_str());
        if (value <= 0) return {};
        shapes[input.key].push_back(value);
      }
  } catch (const ConfigError&) {  // no such file, or not one of ours
    return {};
  }
  return shapes;
}

std::vector<ExportedModel> saved_exports(const fs::path& folder) {
  std::vector<ExportedModel> exports;
  for (const OutputFormat& format : output_formats())
    if (const fs::path path = folder / format.file; fs::exists(path)) {
      const fs::path data = data_of(path);
      exports.push_back({format.name, path, fs::file_size(path) + (fs::exists(data) ? fs::file_size(data) : 0)});
    }
  return exports;
}

void remove_leftovers(const fs::path& folder) {
  static const std::regex kTemporary = temporary_files();
  std::error_code ignored;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    std::smatch match;
    const std::string name = entry.path().filename().string();
    if (!std::regex_match(name, match, kTemporary)) continue;
    const auto process = static_cast<pid_t>(std::atol(match.str(1).c_str()));
    const bool is_gone = ::kill(process, 0) != 0 && errno == ESRCH;
    if (is_gone || process == ::getpid()) leftovers.push_back(entry.path());
  }
  for (const fs::path& path : leftovers) fs::remove(path, ignored);
}

}  // namespace lpot
