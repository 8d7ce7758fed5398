// CIFAR-10 and CIFAR-100 in the binary version: each record has label bytes and a red, green and blue plane of 32x32.
// CIFAR-100 has two label bytes, for the superclass and for the class; the label is the class.
#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/files.h"

namespace lpot {
namespace {

constexpr std::size_t kSide = 32;
constexpr std::size_t kPlane = kSide * kSide;

struct Layout {
  std::string dataset;
  std::size_t label_bytes = 1;  // the last one is the label
  int classes = 10;
  std::size_t record() const { return label_bytes + 3 * kPlane; }
};

class Cifar : public Dataset {
 public:
  Cifar(Layout layout, std::vector<std::uint8_t> records, std::string identity)
      : layout_(std::move(layout)), records_(std::move(records)), identity_(std::move(identity)) {}

  std::size_t size() const override { return records_.size() / layout_.record(); }
  std::string identity() const override { return identity_; }

  Sample at(std::size_t index) const override {
    check_index(layout_.dataset, index, size());
    const std::uint8_t* planes = records_.data() + index * layout_.record() + layout_.label_bytes;
    Tensor image(ElementType::U8, {kSide, kSide, 3});
    auto* pixel = image.data<std::uint8_t>();
    for (std::size_t i = 0; i < kPlane; ++i, pixel += 3) {
      pixel[0] = planes[i];
      pixel[1] = planes[i + kPlane];
      pixel[2] = planes[i + 2 * kPlane];
    }
    return {{std::move(image)}, Tensor::scalar<std::int64_t>(planes[-1])};
  }

 private:
  Layout layout_;
  std::vector<std::uint8_t> records_;
  std::string identity_;
};

std::vector<std::uint8_t> read_records(const std::filesystem::path& path, const Layout& layout) {
  std::vector<std::uint8_t> records = read_file(path);
  if (records.empty() || records.size() % layout.record() != 0)
    throw DataError(layout.dataset,
                    fmt::format("{}: {} bytes, expected a multiple of {}. Download the binary version again",
                                path.string(), records.size(), layout.record()));
  for (std::size_t i = 0; i < records.size(); i += layout.record())
    if (const int label = records[i + layout.label_bytes - 1]; label >= layout.classes)
      throw DataError(layout.dataset,
                      fmt::format("{}: label {} of sample {}, expected 0..{}. Use the binary version of {}",
                                  path.string(), label, i / layout.record(), layout.classes - 1, layout.dataset));
  return records;
}

std::unique_ptr<Dataset> make_cifar(const Component& component, const Layout& layout,
                                    const std::vector<std::filesystem::path>& paths) {
  std::vector<std::uint8_t> records;
  for (const auto& path : paths) {
    std::vector<std::uint8_t> more = read_records(path, layout);
    if (records.empty())
      records = std::move(more);
    else
      records.insert(records.end(), more.begin(), more.end());
  }
  return std::make_unique<Cifar>(
      layout, std::move(records),
      fmt::format("{}({}) {}", component.name, component.parameters.describe(), fingerprint_files(paths)));
}

std::vector<std::filesystem::path> cifar10_files(const DataFolder& folder, bool train) {
  if (!train) return {need_file(folder, "test_batch.bin")};
  std::vector<std::filesystem::path> paths;
  for (int batch = 1; batch <= 5; ++batch)
    if (auto path = find_file(folder, fmt::format("data_batch_{}.bin", batch))) paths.push_back(std::move(*path));
  if (paths.empty()) need_file(folder, "data_batch_1.bin");
  return paths;
}

std::unique_ptr<Dataset> make_cifar10(const Component& component) {
  const DataFolder folder{component.name,
                          component.parameters.text("root"),
                          {"cifar-10-batches-bin"},
                          "set root to the folder of the unpacked cifar-10-binary.tar.gz"};
  return make_cifar(component, {component.name, 1, 10}, cifar10_files(folder, component.parameters.flag("train")));
}

std::unique_ptr<Dataset> make_cifar100(const Component& component) {
  const DataFolder folder{component.name,
                          component.parameters.text("root"),
                          {"cifar-100-binary"},
                          "set root to the folder of the unpacked cifar-100-binary.tar.gz"};
  const std::string name = component.parameters.flag("train") ? "train.bin" : "test.bin";
  return make_cifar(component, {component.name, 2, 100}, {need_file(folder, name)});
}

std::vector<Parameter> parameters(const std::string& root, const std::string& train) {
  return {{.name = "root", .kind = ValueKind::Path, .required = true, .summary = root},
          {.name = "train", .kind = ValueKind::Flag, .default_value = "false", .summary = train}};
}

}  // namespace

DatasetKind cifar10_dataset() {
  return {{.name = "CIFAR10",
           .summary = "photographs in 10 classes, 32x32 RGB",
           .parameters = parameters("folder with test_batch.bin, data_batch_1.bin, ..., plain or .gz",
                                    "read the available training batches instead of the test batch")},
          make_cifar10};
}

DatasetKind cifar100_dataset() {
  return {{.name = "CIFAR100",
           .summary = "photographs in 100 classes, 32x32 RGB",
           .parameters = parameters("folder with test.bin and train.bin, plain or .gz",
                                    "read the training samples instead of the test samples")},
          make_cifar100};
}

}  // namespace lpot
