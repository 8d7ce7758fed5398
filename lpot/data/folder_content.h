// Finds out what a folder of data contains, so that no configuration has to name its data set.
//
//   const FolderContent content = inspect_folder("pictures");
//   std::cout << content.description << "\n";  // 2000 images in 1000 class folders
//
// A folder contains one of
// - images: in class folders, in folders train and val (or train2017), with a list or CSV file of labels, or without
// labels; also in a folder named images, if the others are named masks or labels
// - sounds: .wav files, in the same ways
// - arrays: .npy files
// - sentences: .tsv files of a GLUE task
// - texts: .txt files, one text per line
// If it contains several of them, the first in this order counts.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot {

enum class FolderKind { Images, Sounds, Arrays, Sentences, Texts };

// The range of the labels of images.
struct LabelRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

struct NpyArray {
  std::filesystem::path path;
  ElementType type = ElementType::F32;
  Shape shape;
};

// Data sets are written as in a configuration: "ImageFolder: {root: /data}".
struct FolderContent {
  FolderKind kind = FolderKind::Images;
  std::filesystem::path root;                     // absolute
  std::string description;                        // "2000 images in 1000 class folders"
  std::string evaluation = {};                    // the data set; "" for arrays, which need the inputs of the model
  std::string calibration = {};                   // a separate data set for calibration; "": there is none
  std::optional<LabelRange> labels = {};          // of images and sounds; unset: no labels
  std::vector<std::string> classes = {};          // in the order of the labels; empty: labels are numbers
  std::vector<std::string> notes = {};            // why files that might be lists of labels are not used
  std::vector<NpyArray> arrays = {};              // sorted by name
  std::string task = {};                          // of sentences: the GLUE task
  std::vector<std::filesystem::path> files = {};  // of sentences: training data (if there are any), then the others
};

// Throws DataError if there is no such folder, if it contains none of these data, or if a list of labels has a wrong
// line.
FolderContent inspect_folder(const std::filesystem::path&);

// A text in quotation marks for YAML.
std::string yaml_text(const std::string&);

}  // namespace lpot
