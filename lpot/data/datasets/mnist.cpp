// MNIST and Fashion-MNIST: two idx files, images [count, height, width] and labels [count].
#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/data/datasets/idx.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/files.h"

namespace lpot {
namespace {

constexpr int kClasses = 10;

class Mnist : public Dataset {
 public:
  Mnist(std::string name, IdxFile images, IdxFile labels, std::string identity)
      : name_(std::move(name)),
        images_(std::move(images)),
        labels_(std::move(labels)),
        identity_(std::move(identity)) {}

  std::size_t size() const override { return labels_.values.size(); }
  std::string identity() const override { return identity_; }

  Sample at(std::size_t index) const override {
    check_index(name_, index, size());
    Tensor image(ElementType::U8, {images_.shape[1], images_.shape[2], 1});
    std::copy_n(images_.values.data() + index * image.size(), image.size(), image.data<std::uint8_t>());
    return {{std::move(image)}, Tensor::scalar<std::int64_t>(labels_.values[index])};
  }

 private:
  std::string name_;
  IdxFile images_;
  IdxFile labels_;
  std::string identity_;
};

void check_labels(const IdxFile& images, const IdxFile& labels, const std::string& name, const std::string& path) {
  if (labels.shape[0] != images.shape[0])
    throw DataError(name, fmt::format("{}: {} labels for {} images; expected files of the same set", path,
                                      labels.shape[0], images.shape[0]));
  for (std::size_t i = 0; i < labels.values.size(); ++i)
    if (labels.values[i] >= kClasses)
      throw DataError(name, fmt::format("{}: label {} of sample {}, expected 0..{}; download the file again", path,
                                        labels.values[i], i, kClasses - 1));
}

std::unique_ptr<Dataset> make_mnist(const Component& component) {
  const std::string prefix = component.parameters.flag("train") ? "train" : "t10k";
  const DataFolder folder{component.name,
                          component.parameters.text("root"),
                          {std::filesystem::path(component.name) / "raw", "raw"},
                          "set root to the folder with the idx files"};
  const auto images_path = need_file(folder, prefix + "-images-idx3-ubyte");
  const auto labels_path = need_file(folder, prefix + "-labels-idx1-ubyte");
  IdxFile images = read_idx(images_path, 3, component.name);
  IdxFile labels = read_idx(labels_path, 1, component.name);
  check_labels(images, labels, component.name, labels_path.string());
  std::string identity = fmt::format("{}({}) {}", component.name, component.parameters.describe(),
                                     fingerprint_files({images_path, labels_path}));
  return std::make_unique<Mnist>(component.name, std::move(images), std::move(labels), std::move(identity));
}

Entry mnist_entry(const std::string& name, const std::string& summary) {
  return {.name = name,
          .summary = summary,
          .parameters = {{.name = "root",
                          .kind = ValueKind::Path,
                          .required = true,
                          .summary = "folder with t10k-images-idx3-ubyte, ..., plain or .gz"},
                         {.name = "train",
                          .kind = ValueKind::Flag,
                          .default_value = "false",
                          .summary = "read the 60,000 training samples instead of the 10,000 test samples"}}};
}

}  // namespace

DatasetKind mnist_dataset() { return {mnist_entry("MNIST", "handwritten digits, 28x28 grey"), make_mnist}; }

DatasetKind fashion_mnist_dataset() {
  return {mnist_entry("FashionMNIST", "articles of clothing, 28x28 grey"), make_mnist};
}

}  // namespace lpot
