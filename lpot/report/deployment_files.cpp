#include "lpot/report/deployment_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/config/yaml.h"
#include "lpot/core/error.h"
#include "lpot/model/model_files.h"
#include "lpot/report/output_formats.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

const std::vector<std::string>& optional_files() {
  static const std::vector<std::string> kFiles = [] {
    // The Python package writes the last two (python/lpot/saved.py, bridges/tensorflow.py).
    std::vector<std::string> files{"result.json", "python.json", "model.pb"};
    for (const OutputFormat& format : output_formats())
      files.insert(files.end(), {format.file, std::string(format.file) + ".data"});
    return files;
  }();
  return kFiles;
}

std::vector<fs::path> files_of(const fs::path& source) {
  try {
    return find_model_files(source).files;
  } catch (const ModelError&) {  // it was changed after it was loaded
    return {source};
  }
}

}  // namespace

const std::vector<std::string>& deployment_files() {
  static const std::vector<std::string> kFiles = [] {
    std::vector<std::string> files{"model.xml", "model.bin", "deploy.yaml"};
    files.insert(files.end(), optional_files().begin(), optional_files().end());
    return files;
  }();
  return kFiles;
}

void check_replaces_no_source(const fs::path& folder, const fs::path& source) {
  const auto exists = [](const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
  };
  std::vector<fs::path> source_files;
  for (const std::string& name : deployment_files()) {
    const fs::path file = folder / name;
    if (!exists(file)) continue;
    if (source_files.empty()) source_files = files_of(source);
    std::error_code ignored;
    if (std::any_of(source_files.begin(), source_files.end(),
                    [&](const fs::path& part) { return fs::equivalent(file, part, ignored); }))
      throw ConfigError("output",
                        fmt::format("{}: this file belongs to the source model, and saving the int8 model there would "
                                    "replace it; choose another folder",
                                    file.string()));
  }
}

fs::path deployed_source(const fs::path& folder) {
  try {
    const yaml::Node document = yaml::parse_yaml(yaml::read_text((folder / "deploy.yaml").string()), "deploy.yaml");
    const yaml::Node* model = yaml::find(document, "model");
    const yaml::Node* source = model ? yaml::find(*model, "source") : nullptr;
    return source ? source->text : "";
  } catch (const ConfigError&) {  // no such file, or not one of ours
    return {};
  }
}

void remove_optional_files(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder / "deploy.yaml", ignored)) return;
  for (const std::string& name : optional_files()) fs::remove(folder / name, ignored);
}

}  // namespace lpot
