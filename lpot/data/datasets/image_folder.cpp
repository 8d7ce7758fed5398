// One folder per class. The labels are the indices of the sorted folder names, as in torchvision. Images in subfolders
// belong to the class.
#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/core/text.h"
#include "lpot/data/datasets/image_list.h"
#include "lpot/data/datasets/kinds.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

bool is_image(const fs::path& path) {
  const std::string ending = lower(path.extension().string());
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

std::vector<fs::path> class_folders(const fs::path& root) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.is_directory() && !is_hidden(entry.path())) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<fs::path> images_below(const fs::path& folder) {
  std::vector<fs::path> images;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && is_image(entry.path()) && !is_hidden(entry.path())) images.push_back(entry.path());
  std::sort(images.begin(), images.end());
  return images;
}

std::unique_ptr<Dataset> make_image_folder(const Component& component) {
  const fs::path root = component.parameters.text("root");
  std::error_code ignored;
  if (!fs::is_directory(root, ignored))
    throw DataError(component.name, fmt::format("{}: no such folder", root.string()));
  const std::vector<fs::path> classes = class_folders(root);
  if (classes.empty())
    throw DataError(component.name,
                    fmt::format("{}: the folder has no subfolders; expected one per class", root.string()));
  std::vector<LabelledFile> files;
  for (std::size_t label = 0; label < classes.size(); ++label)
    for (fs::path& path : images_below(classes[label]))
      files.push_back({std::move(path), static_cast<std::int64_t>(label)});
  if (files.empty())
    throw DataError(component.name, fmt::format("{}: found no .jpg, .jpeg or .png files in {} subfolders",
                                                root.string(), classes.size()));
  return make_image_list(component, std::move(files));
}

}  // namespace

DatasetKind image_folder_dataset() {
  return {{.name = "ImageFolder",
           .summary = "JPEG and PNG images in one folder per class",
           .parameters = {{.name = "root",
                           .kind = ValueKind::Path,
                           .required = true,
                           .summary = "folder with one subfolder per class; labels count the sorted names from 0"}}},
          make_image_folder};
}

}  // namespace lpot
