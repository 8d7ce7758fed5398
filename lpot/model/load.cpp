#include "lpot/model/load.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <openvino/frontend/manager.hpp>
#include <openvino/openvino.hpp>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/text.h"
#include "lpot/model/converted_graph.h"
#include "lpot/model/cut.h"
#include "lpot/model/fold.h"
#include "lpot/model/formats.h"
#include "lpot/model/half_precision.h"
#include "lpot/model/model_files.h"
#include "lpot/model/names.h"
#include "lpot/model/openvino_error.h"
#include "lpot/model/sandboxed_load.h"
#include "lpot/model/sha256.h"
#include "lpot/model/state.h"
#include "lpot/model/subprocess_convert.h"
#include "lpot/model/tensor_names.h"
#include "lpot/model/tensorflow_cut.h"
#include "lpot/model/trusted_models.h"
#include "lpot/model/unsupported_ops.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

// Options for an IR that was saved from a graph with an input pipeline. The IR begins at the pipeline's outputs, so the
// inputs that the config names in front of them no longer exist.
LoadOptions without_pipeline(const ov::Model& graph, LoadOptions options) {
  const auto inputs = graph.inputs();
  const auto is_field = [](const auto& input) {
    const auto& names = input.get_names();
    return std::any_of(names.begin(), names.end(),
                       [](const std::string& name) { return name.find("IteratorGetNext") != std::string::npos; });
  };
  if (!inputs.empty() && std::all_of(inputs.begin(), inputs.end(), is_field) &&
      std::none_of(options.inputs.begin(), options.inputs.end(),
                   [](const std::string& name) { return name.find("IteratorGetNext") != std::string::npos; }))
    options.inputs.clear();
  return options;
}

// Selects the front end by the format. If OpenVINO had to guess it, a damaged file would be tried by other front ends
// and the message would not say what is wrong.
std::shared_ptr<ov::Model> read_whole(const ModelFiles& files) {
  ov::frontend::FrontEndManager manager;
  const auto front_end = manager.load_by_framework(info_of(files.format).front_end);
  // Weights of IR and external data of ONNX are memory-mapped, so they are only read when they are used.
  const bool is_mapped =
      files.format == ModelFormat::OpenVinoIr || (files.format == ModelFormat::Onnx && files.files.size() > 1);
  const auto source = is_mapped ? front_end->load(files.path.string(), true) : front_end->load(files.path.string());
  return front_end->convert(source);
}

std::shared_ptr<ov::Model> read(const ModelFiles& files, const LoadOptions& options) {
  if (files.format == ModelFormat::TensorFlow) return convert_tensorflow(files.path, options);
  const bool can_be_partial = files.format == ModelFormat::Onnx || files.format == ModelFormat::TensorFlowLite;
  std::shared_ptr<ov::Model> whole;
  try {
    whole = read_whole(files);
  } catch (const ov::Exception&) {
    if (!can_be_partial || (!options.cuts() && options.input_shapes.empty())) throw;
    if (!options.cuts()) return convert_with_shapes(files, options);
  }
  if (!options.cuts()) return whole;
  if (files.format == ModelFormat::OpenVinoIr) return cut_graph(whole, without_pipeline(*whole, options));
  // Unsupported ops outside the cut do not matter, so the model is converted partially and checked after the cut.
  const auto graph = cut_graph(whole ? whole : convert_partially(files, options), options);
  return unsupported_ops(*graph).empty() ? graph : convert_with_shapes(files, options);
}

// Where the model is cut and its input shapes; "" for the whole model.
std::string describe_cut(const LoadOptions& options) {
  if (!options.cuts() && options.input_shapes.empty()) return "";
  std::vector<std::string> inputs, outputs;
  for (const std::string& name : options.inputs) inputs.push_back(short_tensor_name(name));
  for (const std::string& name : options.outputs) outputs.push_back(short_tensor_name(name));
  std::string shapes;
  for (const auto& [name, shape] : options.input_shapes)
    shapes += fmt::format("{}=[{}] ", short_tensor_name(name), fmt::join(shape, ","));
  return fmt::format("\n{}\n{}\n{}", fmt::join(inputs, "\t"), fmt::join(outputs, "\t"), shapes);
}

// Different cuts and states of one file have different fingerprints.
std::string fingerprint(const ModelHashes& hashes, const LoadOptions& options) {
  const std::string cut = describe_cut(options);
  std::string state;
  for (const auto& [output, input] : options.state)
    state += fmt::format("{}\t{}\n", short_tensor_name(output), short_tensor_name(input));
  if (cut.empty() && state.empty()) return hashes.fingerprint;
  Fingerprint all;
  all.add(hashes.fingerprint).add(cut);
  if (!state.empty()) all.add("state").add(state);
  return all.hex();
}

// The key contains the OpenVINO build, because another build may crash on a model that this one loads.
std::string trust_key(const ModelHashes& hashes, const LoadOptions& options) {
  return fmt::format("{} {}", Sha256().add(hashes.sha256).add(describe_cut(options)).hex(),
                     ov::get_openvino_version().buildNumber);
}

// Names unsupported operations, or reports OpenVINO's message. Only suggests to check the file if the message does not
// mention something unsupported.
std::string explain_failed_read(const ModelFiles& files, const std::exception& error, const LoadOptions& options) {
  const std::string explanation = explain_unsupported_ops(files, error.what(), options);
  if (!explanation.empty()) return explanation;
  const std::string message = shorten_openvino_message(error.what());
  const bool is_unsupported = lower(message).find("not support") != std::string::npos ||
                              lower(message).find("unsupported") != std::string::npos;
  if (is_unsupported) return fmt::format("OpenVINO cannot convert the model: {}", message);
  return fmt::format("OpenVINO cannot read the file as {}: {}. Check that the file is complete and has this format",
                     to_string(files.format), message);
}

// Reads and cuts the model, folds its constants and names its ops.
std::shared_ptr<ov::Model> load_graph(const fs::path& path, const ModelFiles& files, const LoadOptions& options) {
  std::shared_ptr<ov::Model> graph;
  try {
    graph = read(files, options);
    reshape_inputs(graph, options);
    graph = in_single_precision(graph);
    fold_constants_and_batch_norm(graph);
  } catch (const ModelError&) {
    throw;
  } catch (const std::exception& error) {
    rethrow_out_of_memory(error);
    throw ModelError("load_model", fmt::format("{}: {}", path.string(), explain_failed_read(files, error, options)));
  }
  if (graph->get_results().empty())
    throw ModelError("load_model",
                     fmt::format("{}: found a graph without outputs; expected at least one. The file is probably "
                                 "truncated; download or export it again",
                                 path.string()));
  if (files.format == ModelFormat::TensorFlowLite) name_by_tensors(graph);
  name_ops(graph, source_names(files));
  return graph;
}

// Loads the model in a sandbox first, unless it is trusted. Throws ModelError if loading it crashes or fails.
void probe(const fs::path& path, const ModelFiles& files, const LoadOptions& options, const std::string& key) {
  const fs::path cache = default_trusted_models();
  if (is_trusted(cache, key)) return;
  SandboxedLoad sandbox([&] { load_graph(path, files, options); }, size_of(files));
  if (sandbox.wait(path)) trust(cache, key);
}

}  // namespace

Model load_model(const fs::path& path, const LoadOptions& options) {
  const ModelFiles files = find_model_files(path);
  Model model;
  model.format = files.format;
  model.source = files.path;
  const ModelHashes hashes = hash_files(files);
  model.fingerprint = fingerprint(hashes, options);
  model.size_bytes = size_of(files);
  if (options.probe) probe(path, files, options, trust_key(hashes, options));
  if (files.format == ModelFormat::TensorFlow && model.size_bytes >= options.subprocess_convert_bytes)
    model.graph = subprocess_convert([&] { return load_graph(path, files, options); });
  if (!model.graph) model.graph = load_graph(path, files, options);
  model.precision = written_precision(model);
  model.state = bind_state(model, options.state);
  return model;
}

}  // namespace lpot
