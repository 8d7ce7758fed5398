// CIFAR-10 in its binary layout: records of a label byte and the red, green and blue planes of 32x32.
#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/files.h"

namespace lpot {
namespace {

constexpr std::size_t kSide = 32;
constexpr std::size_t kPlane = kSide * kSide;
constexpr std::size_t kRecord = 1 + 3 * kPlane;
constexpr int kClasses = 10;

class Cifar10 : public Dataset {
 public:
  Cifar10(std::vector<std::uint8_t> records, std::string identity)
      : records_(std::move(records)), identity_(std::move(identity)) {}

  std::size_t size() const override { return records_.size() / kRecord; }
  std::string identity() const override { return identity_; }

  Sample at(std::size_t index) const override {
    check_index("CIFAR10", index, size());
    const std::uint8_t* record = records_.data() + index * kRecord;
    const std::uint8_t* planes = record + 1;
    Tensor image(ElementType::U8, {kSide, kSide, 3});
    auto* pixel = image.data<std::uint8_t>();
    for (std::size_t i = 0; i < kPlane; ++i, pixel += 3) {
      pixel[0] = planes[i];
      pixel[1] = planes[i + kPlane];
      pixel[2] = planes[i + 2 * kPlane];
    }
    return {{std::move(image)}, Tensor::scalar<std::int64_t>(record[0])};
  }

 private:
  std::vector<std::uint8_t> records_;
  std::string identity_;
};

std::vector<std::uint8_t> read_records(const std::filesystem::path& path) {
  std::vector<std::uint8_t> records = read_file(path);
  if (records.empty() || records.size() % kRecord != 0)
    throw DataError(
        "CIFAR10",
        fmt::format("{}: {} bytes, expected a multiple of {}; is the download whole, and the binary version?",
                    path.string(), records.size(), kRecord));
  for (std::size_t i = 0; i < records.size(); i += kRecord)
    if (records[i] >= kClasses)
      throw DataError("CIFAR10",
                      fmt::format("{}: label {} of sample {}, expected 0..{}; is this CIFAR-10 in its binary version?",
                                  path.string(), records[i], i / kRecord, kClasses - 1));
  return records;
}

std::vector<std::filesystem::path> batch_files(const DataFolder& folder, bool train) {
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
  const auto paths = batch_files(folder, component.parameters.flag("train"));
  std::vector<std::uint8_t> records;
  for (const auto& path : paths) {
    const std::vector<std::uint8_t> more = read_records(path);
    records.insert(records.end(), more.begin(), more.end());
  }
  return std::make_unique<Cifar10>(
      std::move(records), fmt::format("CIFAR10({}) {}", component.parameters.describe(), fingerprint_files(paths)));
}

}  // namespace

DatasetKind cifar10_dataset() {
  return {{.name = "CIFAR10",
           .summary = "photographs of ten classes, 32x32 RGB",
           .parameters = {{.name = "root",
                           .kind = ValueKind::Path,
                           .required = true,
                           .summary = "folder with test_batch.bin and data_batch_1.bin and so on, plain or .gz"},
                          {.name = "train",
                           .kind = ValueKind::Flag,
                           .default_value = "false",
                           .summary = "the training batches that are there instead of the test batch"}}},
          make_cifar10};
}

}  // namespace lpot
