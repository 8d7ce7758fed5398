// The annotation file of COCO: images with the objects in them.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "lpot/data/datasets/boxes.h"

namespace lpot {

struct CocoImage {
  std::string file_name;
  std::vector<LabelledBox> boxes;
};

// The images in the order of the file; those without objects have no boxes. Throws DataError in the name of `dataset`.
std::vector<CocoImage> read_coco_annotations(const std::string& dataset, const std::filesystem::path&);

}  // namespace lpot
