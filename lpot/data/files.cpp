#include "lpot/data/files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lpot/core/error.h"
#include "lpot/core/file.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> candidates(const DataFolder& folder, const std::string& name) {
  std::vector<fs::path> paths{folder.root / name, folder.root / (name + ".gz")};
  for (const fs::path& subfolder : folder.subfolders) {
    paths.push_back(folder.root / subfolder / name);
    paths.push_back(folder.root / subfolder / (name + ".gz"));
  }
  return paths;
}

}  // namespace

std::optional<fs::path> find_file(const DataFolder& folder, const std::string& name) {
  std::error_code ignored;
  if (!fs::is_directory(folder.root, ignored))
    throw DataError(folder.dataset, fmt::format("{}: no such folder; {}", folder.root.string(), folder.hint));
  for (const fs::path& path : candidates(folder, name))
    if (fs::is_regular_file(path, ignored)) return path;
  return std::nullopt;
}

fs::path need_file(const DataFolder& folder, const std::string& name) {
  if (const auto path = find_file(folder, name)) return *path;
  std::vector<std::string> tried;
  for (const fs::path& path : candidates(folder, name)) tried.push_back(path.string());
  throw DataError(folder.dataset,
                  fmt::format("none of these files exists: {}; {}", fmt::join(tried, ", "), folder.hint));
}

std::string fingerprint_files(const std::vector<fs::path>& paths) {
  Fingerprint fingerprint;
  std::error_code ignored;  // a file that was deleted is reported when it is read
  for (const fs::path& path : paths)
    fingerprint.add(fmt::format("{} {} {}\n", path.filename().string(), fs::file_size(path, ignored),
                                fs::last_write_time(path, ignored).time_since_epoch().count()));
  return fingerprint.hex();
}

void check_index(std::string_view dataset, std::size_t index, std::size_t size) {
  if (index >= size)
    throw DataError(dataset,
                    fmt::format("sample {} does not exist; the data set has {} samples, counted from 0", index, size));
}

}  // namespace lpot
