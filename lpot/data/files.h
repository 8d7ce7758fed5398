// Finds and fingerprints the files of a data set.
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

// The folders that may contain the files of a data set, and a hint for messages about missing files.
struct DataFolder {
  std::string dataset;
  std::filesystem::path root;
  std::vector<std::filesystem::path> subfolders;  // of root, searched after root itself
  std::string hint;
};

// The path of `name` or `name`.gz, or nothing. Throws DataError if the root does not exist.
std::optional<std::filesystem::path> find_file(const DataFolder&, const std::string& name);

// Like find_file, but throws DataError with all tried paths if there is no such file.
std::filesystem::path need_file(const DataFolder&, const std::string& name);

// Fingerprint of the names, sizes and times of the files. It is fast and changes when a file changes.
std::string fingerprint_files(const std::vector<std::filesystem::path>&);

// Throws DataError unless index < size.
void check_index(std::string_view dataset, std::size_t index, std::size_t size);

}  // namespace lpot
