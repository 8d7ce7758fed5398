// Reads COCO annotation files: images and the objects in them.
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

// The images in the order of the file, including images without objects. Throws DataError with the operation `dataset`.
std::vector<CocoImage> read_coco_annotations(const std::string& dataset, const std::filesystem::path&);

}  // namespace lpot
