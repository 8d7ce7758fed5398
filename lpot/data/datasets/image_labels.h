// Reads files that list images or sounds with their labels or texts.
//
// A text file has lines `file label`. The label is an integer and the last word, so file names may contain spaces.
//
// A CSV file (its name ends with .csv) has one line per image, with commas or semicolons between the fields. A header
// with the columns file, filename, image, path, name or id, and label, class, category or target is optional; without
// it, the first two columns are the file and the label. Labels are integers, or names, which are counted in sorted
// order.
//
// Texts: lines `file TAB text`, as in the rec_gt.txt of PaddleOCR, or a CSV file with a column text, words, transcript,
// transcription, sentence or label.
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

struct ListedText {
  std::filesystem::path path;
  std::string text;
};

// A list, and where its files are. File names are relative to `folder`; they may lack one of the endings.
struct FileList {
  std::string dataset;  // the operation of errors
  std::filesystem::path folder;
  std::filesystem::path list;
  std::vector<std::string> endings = {".jpg", ".jpeg", ".png"};
};

// Both throw DataError with the file and the line.
ImageLabels read_labels(const FileList&);
std::vector<ListedText> read_texts(const FileList&);

// Whether the first line (in a CSV file, after the header) names a file of the folder and has a label. Then a wrong
// line further down is a mistake in a list; else the file may be some other text.
bool starts_with_label(const FileList&);

inline ImageLabels read_image_labels(const std::string& dataset, const std::filesystem::path& folder,
                                     const std::filesystem::path& list) {
  return read_labels({dataset, folder, list});
}

}  // namespace lpot
