// COCO in its published layout: a folder of images (COCORaw) or of arrays named like the images (COCONpy), and a JSON
// file of annotations. Images without objects are included, because detections in them are false positives.
#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/data/datasets/coco.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/datasets/npy_file.h"
#include "lpot/data/files.h"
#include "lpot/data/images/decode.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

struct AnnotatedFile {
  fs::path path;
  std::vector<LabelledBox> boxes;
};

// Reads the whole array of a .npy file.
Tensor read_array(const fs::path& path) {
  const NpyFile file(path);
  std::vector<Tensor> rows;
  for (std::size_t row = 0; row < file.rows(); ++row) rows.push_back(file.row(row));
  return stack(rows);
}

class Coco : public Dataset {
 public:
  Coco(std::string name, std::vector<AnnotatedFile> files, std::string identity)
      : name_(std::move(name)), files_(std::move(files)), identity_(std::move(identity)) {}

  std::size_t size() const override { return files_.size(); }
  std::string identity() const override { return identity_; }

  Sample at(std::size_t index) const override {
    check_index(name_, index, size());
    const fs::path& path = files_[index].path;
    Tensor image = path.extension() == ".npy" ? read_array(path) : read_image({name_, path, index});
    return {{std::move(image)}, label_of(files_[index].boxes)};
  }

  Tensor label(std::size_t index) const override {
    check_index(name_, index, size());
    return label_of(files_[index].boxes);
  }

 private:
  std::string name_;
  std::vector<AnnotatedFile> files_;
  std::string identity_;
};

std::unique_ptr<Dataset> make_coco(const Component& component, const std::string& folder_name,
                                   const std::string& ending) {
  const fs::path root = component.parameters.text("root");
  const fs::path folder = root / component.parameters.text(folder_name);
  const fs::path annotations = root / component.parameters.text("anno_dir");
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw DataError(component.name, fmt::format("{}: {}: no such folder", folder_name, folder.string()));
  std::vector<AnnotatedFile> files;
  std::vector<fs::path> paths{annotations};
  for (CocoImage& image : read_coco_annotations(component.name, annotations)) {
    files.push_back({folder / (image.file_name + ending), std::move(image.boxes)});
    paths.push_back(files.back().path);
    if (!fs::is_regular_file(paths.back(), ignored))
      throw DataError(component.name,
                      fmt::format("{}: no such file, but {} lists it", paths.back().string(), annotations.string()));
  }
  if (files.empty()) throw DataError(component.name, fmt::format("{}: the file lists no images", annotations.string()));
  return std::make_unique<Coco>(
      component.name, std::move(files),
      fmt::format("{}({}) {}", component.name, component.parameters.describe(), fingerprint_files(paths)));
}

std::unique_ptr<Dataset> make_coco_raw(const Component& component) { return make_coco(component, "img_dir", ""); }
std::unique_ptr<Dataset> make_coco_npy(const Component& component) { return make_coco(component, "npy_dir", ".npy"); }

Entry entry(const std::string& name, const std::string& summary, const std::string& folder) {
  return {.name = name,
          .summary = summary,
          .parameters = {
              {.name = "root", .kind = ValueKind::Path, .required = true, .summary = "base folder of the other paths"},
              {.name = folder, .kind = ValueKind::Text, .default_value = "val2017", .summary = "folder of the images"},
              {.name = "anno_dir",
               .kind = ValueKind::Text,
               .default_value = "annotations/instances_val2017.json",
               .summary = "annotation file"}}};
}

}  // namespace

DatasetKind coco_raw_dataset() {
  return {entry("COCORaw", "COCO images and annotations, with boxes", "img_dir"), make_coco_raw};
}

DatasetKind coco_npy_dataset() {
  return {entry("COCONpy", "COCO images as NumPy arrays (000000000139.jpg.npy), with boxes", "npy_dir"), make_coco_npy};
}

}  // namespace lpot
