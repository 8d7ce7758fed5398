// Finding the files of a data set and telling them apart.
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

// Where a data set's files may be, and what to tell a user who has them elsewhere.
struct DataFolder {
  std::string dataset;
  std::filesystem::path root;
  std::vector<std::filesystem::path> subfolders;  // of root, searched after root itself
  std::string hint;
};

// The path of `name` or `name`.gz, or nothing. Throws DataError when there is no such root.
std::optional<std::filesystem::path> find_file(const DataFolder&, const std::string& name);

// The same; throws DataError that lists what was looked for.
std::filesystem::path need_file(const DataFolder&, const std::string& name);

// Fingerprint of the files' names, sizes and times: cheap, and changes when a file does.
std::string fingerprint_files(const std::vector<std::filesystem::path>&);

// Throws DataError unless index < size.
void check_index(std::string_view dataset, std::size_t index, std::size_t size);

}  // namespace lpot
