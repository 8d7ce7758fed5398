// Finds the files of a model and its format.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "lpot/model/model.h"

namespace lpot {

struct ModelFiles {
  ModelFormat format = ModelFormat::OpenVinoIr;
  std::filesystem::path path;                // for the front end: the file, or the folder of a SavedModel
  std::vector<std::filesystem::path> files;  // all files of the model, sorted

  bool is_saved_model() const;
};

// Finds the format by the file extension, or by a saved_model.pb in the folder. Throws ModelError if the file or its
// weights are missing, if the extension is unknown, or if the file is empty or truncated.
ModelFiles find_model_files(const std::filesystem::path&);

// Hashes of the bytes of all files. The file names within a SavedModel are part of both.
struct ModelHashes {
  std::string fingerprint;  // 64-bit FNV: identifies the model of a study, can be forged
  std::string sha256;       // also covers the format
};
ModelHashes hash_files(const ModelFiles&);  // reads each file once. Throws DataError
std::size_t size_of(const ModelFiles&);

}  // namespace lpot
