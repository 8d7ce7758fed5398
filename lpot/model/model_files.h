// Which files a model is made of.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "lpot/model/model.h"

namespace lpot {

struct ModelFiles {
  ModelFormat format = ModelFormat::OpenVinoIr;
  std::filesystem::path path;                // what the front end is given: the file, or a SavedModel's folder
  std::vector<std::filesystem::path> files;  // all that belong to it, sorted

  bool is_saved_model() const;
};

// By the ending, or a saved_model.pb in a folder. Throws ModelError: no such file, an unknown ending, weights that are
// missing, an empty or cut file.
ModelFiles find_model_files(const std::filesystem::path&);

// Hashes of the bytes of all files. The file names within a SavedModel are part of both.
struct ModelHashes {
  std::string fingerprint;  // 64-bit FNV: identifies the model of a study, can be forged
  std::string sha256;       // also covers the format
};
ModelHashes hash_files(const ModelFiles&);  // reads each file once. Throws DataError
std::size_t size_of(const ModelFiles&);

}  // namespace lpot
