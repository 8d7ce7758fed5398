#include "lpot/data/datasets/image_list.h"

#include <fmt/format.h>

#include "lpot/core/file.h"
#include "lpot/data/files.h"
#include "lpot/data/images/decode.h"

namespace lpot {
namespace {

class ImageList : public Dataset {
 public:
  ImageList(std::string name, std::vector<LabelledFile> files, std::string identity)
      : name_(std::move(name)), files_(std::move(files)), identity_(std::move(identity)) {}

  std::size_t size() const override { return files_.size(); }
  std::string identity() const override { return identity_; }

  Sample at(std::size_t index) const override { return {{image(index)}, label(index)}; }

  Tensor label(std::size_t index) const override {
    check_index(name_, index, size());
    return files_[index].label ? Tensor::scalar<std::int64_t>(*files_[index].label) : Tensor();
  }

 private:
  Tensor image(std::size_t index) const {
    check_index(name_, index, size());
    return read_image({name_, files_[index].path, index});
  }

  std::string name_;
  std::vector<LabelledFile> files_;
  std::string identity_;
};

}  // namespace

std::unique_ptr<Dataset> make_image_list(const Component& component, std::vector<LabelledFile> files) {
  Fingerprint labels;
  std::vector<std::filesystem::path> paths;
  for (const LabelledFile& file : files) {
    labels.add(file.label ? fmt::format("{} ", *file.label) : "- ");
    paths.push_back(file.path);
  }
  std::string identity = fmt::format("{}({}) {} {}", component.name, component.parameters.describe(),
                                     fingerprint_files(paths), labels.hex());
  return std::make_unique<ImageList>(component.name, std::move(files), std::move(identity));
}

}  // namespace lpot
