#include "lpot/model/load.h"

#include <fmt/format.h>

#include <openvino/frontend/manager.hpp>
#include <openvino/openvino.hpp>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/text.h"
#include "lpot/model/fold.h"
#include "lpot/model/names.h"
#include "lpot/model/openvino_error.h"
#include "lpot/model/tensorflow_names.h"
#include "lpot/model/wire_check.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

ModelFormat format_of(const fs::path& path) {
  const std::string ending = lower(path.extension().string());
  if (ending == ".onnx") return ModelFormat::Onnx;
  if (ending == ".pb") return ModelFormat::TensorFlow;
  if (ending == ".xml") return ModelFormat::OpenVinoIr;
  throw ModelError("load_model", fmt::format("{}: expected a file that ends in .onnx, .pb (TensorFlow frozen graph) or .xml (OpenVINO IR), got '{}'",
                                             path.string(), path.extension().string()));
}

std::string front_end_name(ModelFormat format) {
  switch (format) {
    case ModelFormat::Onnx: return "onnx";
    case ModelFormat::TensorFlow: return "tf";
    case ModelFormat::OpenVinoIr: return "ir";
  }
  throw ModelError("load_model", "unknown format");
}

fs::path weights_of(const fs::path& xml) { return fs::path(xml).replace_extension(".bin"); }

void check_files(const fs::path& path, ModelFormat format) {
  std::error_code error;
  if (!fs::exists(path, error)) throw ModelError("load_model", fmt::format("{}: no such file", path.string()));
  if (fs::is_directory(path, error)) throw ModelError("load_model", fmt::format("{}: expected a model file, got a folder", path.string()));
  if (fs::file_size(path, error) == 0) throw ModelError("load_model", fmt::format("{}: the file is empty", path.string()));
  if (format == ModelFormat::OpenVinoIr && !fs::exists(weights_of(path), error))
    throw ModelError("load_model", fmt::format("{}: its weights {} are missing; both files belong together", path.string(), weights_of(path).string()));
  if (format != ModelFormat::OpenVinoIr)
    if (const auto damage = find_wire_damage(path))
      throw ModelError("load_model", fmt::format("{}: not a whole {} file: {}; fetch or export it again", path.string(), to_string(format), *damage));
}

// The front end is named rather than guessed: its own message then says what is wrong, and no other one tries the file.
std::shared_ptr<ov::Model> read(const fs::path& path, ModelFormat format) {
  ov::frontend::FrontEndManager manager;
  const auto front_end = manager.load_by_framework(front_end_name(format));
  if (format == ModelFormat::TensorFlow) front_end->add_extension(tensorflow_name_extensions());
  return front_end->convert(front_end->load(path.string()));
}

}  // namespace

Model load_model(const fs::path& path) {
  Model model;
  model.format = format_of(path);
  model.source = path;
  check_files(path, model.format);
  model.fingerprint = fingerprint_file(path);
  model.size_bytes = fs::file_size(path);
  if (model.format == ModelFormat::OpenVinoIr) {
    model.fingerprint = Fingerprint().add(model.fingerprint).add(fingerprint_file(weights_of(path))).hex();
    model.size_bytes += fs::file_size(weights_of(path));
  }
  try {
    model.graph = read(path, model.format);
    fold_constants_and_batch_norm(model.graph);
  } catch (const std::exception& error) {
    throw ModelError("load_model", fmt::format("{}: cannot be read as {}: {}; is the file whole and of that format?", path.string(),
                                               to_string(model.format), shorten_openvino_message(error.what())));
  }
  if (model.graph->get_results().empty())
    throw ModelError("load_model", fmt::format("{}: holds no graph with outputs; was it cut? Fetch or export it again", path.string()));
  name_ops(model.graph, source_names(path, model.format));
  return model;
}

}  // namespace lpot
