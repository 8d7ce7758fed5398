#include "lpot/data/image_files.h"

#include <algorithm>

#include "lpot/core/text.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

// Long recordings, from which parts are cut as examples of silence.
constexpr const char* kBackgroundNoise = "_background_noise_";

// Whether a folder contains only files of another kind.
bool contains_only_others(const fs::path& folder, FileTest is_wanted) {
  if (contains_files(folder, is_wanted)) return false;
  const fs::recursive_directory_iterator entries(folder);
  return std::any_of(begin(entries), end(entries), [](const auto& entry) { return entry.is_regular_file(); });
}

template <typename Entries>
std::vector<fs::path> sorted_files(const Entries& entries, FileTest is_wanted) {
  std::vector<fs::path> files;
  for (const auto& entry : entries)
    if (entry.is_regular_file() && is_wanted(entry.path()) && !is_hidden(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

bool is_image_file(const fs::path& path) {
  const std::string ending = lower(path.extension().string());
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

bool is_sound_file(const fs::path& path) { return lower(path.extension().string()) == ".wav"; }

std::vector<fs::path> subfolders_of(const fs::path& root) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.is_directory() && !is_hidden(entry.path())) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

bool contains_files(const fs::path& folder, FileTest is_wanted) {
  const fs::recursive_directory_iterator entries(folder);
  return std::any_of(begin(entries), end(entries), [&](const auto& entry) {
    return entry.is_regular_file() && is_wanted(entry.path()) && !is_hidden(entry.path());
  });
}

std::vector<fs::path> class_folders(const fs::path& root, FileTest is_wanted) {
  std::vector<fs::path> folders = subfolders_of(root);
  std::erase_if(folders, [&](const fs::path& folder) { return contains_only_others(folder, is_wanted); });
  return folders;
}

std::vector<fs::path> sound_class_folders(const fs::path& root) {
  std::vector<fs::path> folders = class_folders(root, is_sound_file);
  std::erase_if(folders, [](const fs::path& folder) { return folder.filename() == kBackgroundNoise; });
  return folders;
}

std::vector<fs::path> images_directly_in(const fs::path& folder) {
  return sorted_files(fs::directory_iterator(folder), is_image_file);
}

std::vector<fs::path> images_below(const fs::path& folder) {
  return sorted_files(fs::recursive_directory_iterator(folder), is_image_file);
}

std::vector<fs::path> sounds_directly_in(const fs::path& folder) {
  return sorted_files(fs::directory_iterator(folder), is_sound_file);
}

std::vector<fs::path> sounds_below(const fs::path& folder) {
  return sorted_files(fs::recursive_directory_iterator(folder), is_sound_file);
}

}  // namespace lpot
