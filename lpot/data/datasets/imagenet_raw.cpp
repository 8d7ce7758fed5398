// Images with labels from a text file, one `file label` per line.
#include <fmt/format.h>

#include <charconv>
#include <fstream>

#include "lpot/core/error.h"
#include "lpot/core/text.h"
#include "lpot/data/datasets/image_list.h"
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

// "n01440764/a b.jpg 12": the label is the last word, so file names may contain spaces.
bool parse_line(const std::string& line, std::string& name, std::int64_t& label) {
  const auto space = line.find_last_of(" \t");
  if (space == std::string::npos) return false;
  const char* end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data() + space + 1, end, label);
  name = trim(line.substr(0, space));
  return error == std::errc() && stop == end && !name.empty();
}

std::vector<LabelledFile> read_list(const Component& component, const fs::path& folder, const fs::path& list) {
  std::ifstream lines(list);
  std::vector<LabelledFile> files;
  int number = 0;
  const auto fail = [&](const std::string& message) {
    throw DataError(component.name, fmt::format("{}:{}: {}", list.string(), number, message));
  };
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = trim(line);
    if (line.empty()) continue;
    std::string name;
    LabelledFile file;
    if (!parse_line(line, name, file.label)) fail(fmt::format("expected a file name and a label, got '{}'", line));
    file.path = folder / name;
    std::error_code ignored;
    if (!fs::is_regular_file(file.path, ignored)) fail(fmt::format("{}: no such file", file.path.string()));
    files.push_back(std::move(file));
  }
  if (files.empty()) throw DataError(component.name, fmt::format("{}: the file lists no images", list.string()));
  return files;
}

std::unique_ptr<Dataset> make_imagenet_raw(const Component& component) {
  const fs::path folder = component.parameters.text("data_path");
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw DataError(component.name, fmt::format("data_path: {}: no such folder", folder.string()));
  return make_image_list(component, read_list(component, folder, find_list(component, folder)));
}

}  // namespace

DatasetKind imagenet_raw_dataset() {
  return {
      {.name = "ImagenetRaw",
       .summary = "JPEG and PNG images with labels from a text file",
       .parameters = {{.name = "data_path",
                       .kind = ValueKind::Path,
                       .required = true,
                       .summary = "base folder of the listed file names"},
                      {.name = "image_list",
                       .kind = ValueKind::Path,
                       .summary = "text file with lines `file label`; default: val_map.txt or val.txt in data_path"}}},
      make_imagenet_raw};
}

}  // namespace lpot
