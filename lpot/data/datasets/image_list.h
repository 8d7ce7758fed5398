// A data set of image files with or without class labels. ImageFolder and ImagenetRaw use it.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lpot/data/dataset.h"

namespace lpot {

struct LabelledFile {
  std::filesystem::path path;
  std::optional<std::int64_t> label = {};
};

// Decodes a file when its sample is read. The identity contains names, sizes, times and labels.
std::unique_ptr<Dataset> make_image_list(const Component&, std::vector<LabelledFile>);

}  // namespace lpot
