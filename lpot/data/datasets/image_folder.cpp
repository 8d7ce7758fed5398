// One folder per class, as in torchvision: the labels are the indices of the sorted folder names, and images in
// subfolders belong to the class. Folders with only other files are not classes. A folder with images but without class
// folders has no labels.
#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/data/datasets/image_list.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/image_files.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

std::vector<LabelledFile> without_labels(std::vector<fs::path> images) {
  std::vector<LabelledFile> files;
  for (fs::path& path : images) files.push_back({std::move(path), {}});
  return files;
}

std::vector<LabelledFile> in_class_folders(const std::vector<fs::path>& classes) {
  std::vector<LabelledFile> files;
  for (std::size_t label = 0; label < classes.size(); ++label)
    for (fs::path& path : images_below(classes[label]))
      files.push_back({std::move(path), static_cast<std::int64_t>(label)});
  return files;
}

std::unique_ptr<Dataset> make_image_folder(const Component& component) {
  const fs::path root = component.parameters.text("root");
  std::error_code ignored;
  if (!fs::is_directory(root, ignored))
    throw DataError(component.name, fmt::format("{}: no such folder", root.string()));
  if (component.parameters.has("labels") && component.parameters.text("labels") == "none") {
    std::vector<LabelledFile> files = without_labels(images_below(root));
    if (files.empty())
      throw DataError(component.name, fmt::format("{}: found no .jpg, .jpeg or .png files", root.string()));
    return make_image_list(component, std::move(files));
  }
  std::vector<LabelledFile> files = in_class_folders(class_folders(root, is_image_file));
  if (files.empty()) files = without_labels(images_directly_in(root));
  if (files.empty())
    throw DataError(component.name,
                    fmt::format("{}: found no .jpg, .jpeg or .png files in the folder and in its {} subfolders; "
                                "expected images, or one subfolder per class",
                                root.string(), subfolders_of(root).size()));
  return make_image_list(component, std::move(files));
}

}  // namespace

DatasetKind image_folder_dataset() {
  return {{.name = "ImageFolder",
           .summary = "JPEG and PNG images in one folder per class, or in one folder without labels",
           .parameters = {{.name = "root",
                           .kind = ValueKind::Path,
                           .required = true,
                           .summary = "folder with one subfolder per class, whose labels count the sorted names from "
                                      "0; or folder of images without labels"},
                          {.name = "labels",
                           .kind = ValueKind::Text,
                           .summary = "none: all images below root, without labels (default: folders)",
                           .choices = {"folders", "none"}}}},
          make_image_folder};
}

}  // namespace lpot
