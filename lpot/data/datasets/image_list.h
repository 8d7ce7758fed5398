// A data set of image files with the number of their class, which ImageFolder and ImagenetRaw come down to.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lpot/data/dataset.h"

namespace lpot {

struct LabelledFile {
  std::filesystem::path path;
  std::int64_t label = 0;
};

// Decodes a file when its sample is asked for. The identity covers names, sizes, times and labels.
std::unique_ptr<Dataset> make_image_list(const Component&, std::vector<LabelledFile>);

}  // namespace lpot
