#include "lpot/model/model_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/mapped_file.h"
#include "lpot/core/text.h"
#include "lpot/model/external_data.h"
#include "lpot/model/formats.h"
#include "lpot/model/onnx_file.h"
#include "lpot/model/sha256.h"
#include "lpot/model/wire_check.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSavedModel = "saved_model.pb";

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw ModelError("load_model", fmt::format("{}: {}", path.string(), what));
}

ModelFormat format_of(const fs::path& path) {
  const std::string ending = lower(path.extension().string());
  std::vector<std::string> expected;
  for (const FormatInfo& format : model_formats()) {
    if (ending == format.extension) return format.format;
    const std::string hint = format.hint;
    expected.push_back(format.extension + (hint.empty() ? "" : " (" + hint + ")"));
  }
  fail(path, fmt::format("unknown file extension '{}'; expected {} or the folder of a TensorFlow SavedModel",
                         path.extension().string(), fmt::join(expected, ", ")));
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

ModelFiles saved_model(const fs::path& folder) {
  if (!fs::exists(folder / kSavedModel))
    fail(folder,
         fmt::format("found a folder without {}; expected a model file or the folder of a TensorFlow SavedModel",
                     kSavedModel));
  // Removes a slash at the end: "net/" is the folder net.
  const fs::path named = folder.has_filename() ? folder : folder.parent_path();
  return {ModelFormat::TensorFlow, named, files_below(named)};
}

// The front end tries every version below the one in the file, which takes forever for a huge number.
void check_operator_sets(const fs::path& path) {
  constexpr std::int64_t kMaxVersion = 1000;  // far above all released versions
  const MappedFile file(path);
  for (const onnx::OperatorSetIdProto& set : read_operator_sets(file.bytes()))
    if (set.version() < 0 || set.version() > kMaxVersion)
      fail(path, fmt::format("found operator set version {}; expected 0 to {}. Download or export the file again",
                             set.version(), kMaxVersion));
}

void check_fields(const fs::path& path, ModelFormat format) {
  std::optional<std::string> damage;
  try {
    damage = find_wire_damage(path);
  } catch (const DataError& error) {
    fail(path, fmt::format("cannot be read: {}", error.what()));
  }
  try {
    if (!damage && format == ModelFormat::Onnx) check_operator_sets(path);
  } catch (const DataError& error) {
    damage = error.what();
  }
  if (damage)
    fail(path, fmt::format("the {} file is damaged: {}. Download or export it again", to_string(format), *damage));
}

void check_content(const fs::path& path, ModelFormat format) {
  if (fs::file_size(path) == 0) fail(path, "the file is empty; download or export it again");
  if (format == ModelFormat::TensorFlowLite) {
    std::array<char, 8> head{};
    std::ifstream(path, std::ios::binary).read(head.data(), head.size());
    if (std::string_view(head.data(), head.size()).substr(4) != "TFL3")
      fail(path, "not a TensorFlow Lite file: the identifier TFL3 is missing. Download or export the file again");
  } else if (info_of(format).is_protobuf) {
    check_fields(path, format);
  }
}

std::vector<fs::path> data_files_of(const fs::path& path) {
  try {
    return external_data_files(path);
  } catch (const DataError& error) {
    fail(path, fmt::format("the onnx file is damaged: {}. Download or export it again", error.what()));
  }
}

ModelHashes hash_file(const fs::path& path) {
  Fingerprint fingerprint;
  Sha256 sha256;
  read_pieces(path, [&](std::string_view piece) {
    fingerprint.add(piece);
    sha256.add(piece);
  });
  return {fingerprint.hex(), sha256.hex()};
}

}  // namespace

bool ModelFiles::is_saved_model() const {
  return format == ModelFormat::TensorFlow && !files.empty() && path != files[0];
}

ModelFiles find_model_files(const fs::path& path) {
  std::error_code ignored;
  ModelFiles found;
  if (fs::is_directory(path, ignored)) {
    found = saved_model(path);
  } else {
    const ModelFormat format = format_of(path);
    if (!fs::exists(path, ignored)) fail(path, "no such file");
    found = path.filename() == kSavedModel ? saved_model(path.has_parent_path() ? path.parent_path() : fs::path("."))
                                           : ModelFiles{format, path, {path}};
  }
  check_content(found.is_saved_model() ? found.path / kSavedModel : path, found.format);
  if (found.format == ModelFormat::Onnx)
    for (fs::path& file : data_files_of(path)) found.files.push_back(std::move(file));
  const FormatInfo& info = info_of(found.format);
  if (const std::string extension = info.weights_extension; !extension.empty()) {
    const fs::path weights = fs::path(path).replace_extension(extension);
    if (fs::exists(weights, ignored)) {
      found.files.push_back(weights);
    } else if (info.needs_weights) {
      fail(path, fmt::format("the weights {} are missing; copy this file too", weights.string()));
    }
  }
  return found;
}

ModelHashes hash_files(const ModelFiles& files) {
  Fingerprint fingerprint;
  Sha256 sha256;
  sha256.add(to_string(files.format));
  std::string last_fingerprint;
  for (const fs::path& file : files.files) {
    const ModelHashes hashes = hash_file(file);
    const std::string name = files.is_saved_model() ? file.lexically_relative(files.path).string() : "";
    last_fingerprint = hashes.fingerprint;
    fingerprint.add(name).add(hashes.fingerprint);
    // The length makes the end of the name unambiguous.
    sha256.add(fmt::format("\n{} {} {}", hashes.sha256, name.size(), name));
  }
  return {files.files.size() == 1 ? last_fingerprint : fingerprint.hex(), sha256.hex()};
}

std::size_t size_of(const ModelFiles& files) {
  std::size_t bytes = 0;
  for (const fs::path& file : files.files) bytes += fs::file_size(file);
  return bytes;
}

}  // namespace lpot
