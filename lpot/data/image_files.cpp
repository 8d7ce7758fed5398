#include "lpot/data/image_files.h"

#include <algorithm>

#include "lpot/core/text.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

template <typename Entries>
std::vector<fs::path> sorted_images(const Entries& entries) {
  std::vector<fs::path> images;
  for (const auto& entry : entries)
    if (entry.is_regular_file() && is_image_file(entry.path()) && !is_hidden(entry.path()))
      images.push_back(entry.path());
  std::sort(images.begin(), images.end());
  return images;
}

}  // namespace

bool is_image_file(const fs::path& path) {
  const std::string ending = lower(path.extension().string());
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

std::vector<fs::path> subfolders_of(const fs::path& root) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.is_directory() && !is_hidden(entry.path())) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<fs::path> images_directly_in(const fs::path& folder) {
  return sorted_images(fs::directory_iterator(folder));
}

std::vector<fs::path> images_below(const fs::path& folder) {
  return sorted_images(fs::recursive_directory_iterator(folder));
}

}  // namespace lpot
