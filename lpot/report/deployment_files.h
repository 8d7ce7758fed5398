// The names of the files of a saved model, and a check that they replace no file of its source model.
//
//   check_replaces_no_source("int8", model.source);
//
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace lpot {

// All files that a folder with a saved model may have: those of save_deployment and write_reports, and those that the
// Python package adds.
const std::vector<std::string>& deployment_files();

// Throws ConfigError if one of these files in the folder is a file of the model `source`.
void check_replaces_no_source(const std::filesystem::path& folder, const std::filesystem::path& source);

// The source of the model in the folder, as deploy.yaml names it; "": unknown.
std::filesystem::path deployed_source(const std::filesystem::path& folder);

// Removes the files of an earlier model that the next one may not have: model.onnx, result.json and those of the Python
// package. Removes nothing if the folder has no deploy.yaml, because then the files are not lpot's.
void remove_optional_files(const std::filesystem::path& folder);

}  // namespace lpot
