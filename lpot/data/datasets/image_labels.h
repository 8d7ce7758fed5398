// Reads files that list images with their labels.
//
// A text file has lines `file label`. The label is an integer and the last word, so file names may contain spaces.
//
// A CSV file (its name ends with .csv) has one line per image, with commas or semicolons between the fields. A header
// with the columns file, filename, image, path, name or id, and label, class, category or target is optional; without
// it, the first two columns are the file and the label. Labels are integers, or names, which are counted in sorted
// order.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "lpot/data/datasets/image_list.h"

namespace lpot {

struct ImageLabels {
  std::vector<LabelledFile> files;
  std::vector<std::string> classes;  // sorted names of the labels; empty if the labels are integers
};

// File names are relative to `folder`; in CSV files, the ending of the images may be left out. Throws DataError with
// the operation `dataset`, the file and the line.
ImageLabels read_image_labels(const std::string& dataset, const std::filesystem::path& folder,
                              const std::filesystem::path& list);

}  // namespace lpot
