// Images with labels from a text file, one `file label` per line, or from a CSV file.
#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/data/datasets/image_labels.h"
#include "lpot/data/datasets/kinds.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

// image_list if it is set, else val_map.txt or val.txt in the folder of the images.
fs::path find_list(const Component& component, const fs::path& folder) {
  std::error_code ignored;
  if (component.parameters.has("image_list") && !component.parameters.text("image_list").empty()) {
    fs::path given = component.parameters.text("image_list");
    if (fs::is_regular_file(given, ignored)) return given;
    throw DataError(component.name, fmt::format("image_list: {}: no such file", given.string()));
  }
  for (const char* name : {"val_map.txt", "val.txt"})
    if (fs::is_regular_file(folder / name, ignored)) return folder / name;
  throw DataError(component.name,
                  fmt::format("found neither val_map.txt nor val.txt in {}; set image_list to a file with "
                              "a file name and a label on each line",
                              folder.string()));
}

std::unique_ptr<Dataset> make_imagenet_raw(const Component& component) {
  const fs::path folder = component.parameters.text("data_path");
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw DataError(component.name, fmt::format("data_path: {}: no such folder", folder.string()));
  return make_image_list(component, read_image_labels(component.name, folder, find_list(component, folder)).files);
}

}  // namespace

DatasetKind imagenet_raw_dataset() {
  return {
      {.name = "ImagenetRaw",
       .summary = "JPEG and PNG images with labels from a text or CSV file",
       .parameters = {{.name = "data_path",
                       .kind = ValueKind::Path,
                       .required = true,
                       .summary = "base folder of the listed file names"},
                      {.name = "image_list",
                       .kind = ValueKind::Path,
                       .summary =
                           "text file with lines `file label`, or CSV file with the columns file and label; default: "
                           "val_map.txt or val.txt in data_path"}}},
      make_imagenet_raw};
}

}  // namespace lpot
