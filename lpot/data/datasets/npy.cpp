// Arrays saved by NumPy, one file per model input. Row i of each array belongs to sample i.
#include <fmt/format.h>

#include <optional>

#include "lpot/core/error.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/datasets/npy_file.h"
#include "lpot/data/files.h"

namespace lpot {
namespace {

class Npy : public Dataset {
 public:
  Npy(std::vector<std::string> names, std::vector<NpyFile> inputs, std::optional<NpyFile> labels, std::string identity)
      : names_(std::move(names)),
        inputs_(std::move(inputs)),
        labels_(std::move(labels)),
        identity_(std::move(identity)) {}

  std::size_t size() const override { return inputs_.front().rows(); }
  std::vector<std::string> input_names() const override { return names_; }
  std::string identity() const override { return identity_; }

  Sample at(std::size_t index) const override {
    check_index("npy", index, size());
    Sample sample;
    for (const NpyFile& input : inputs_) sample.inputs.push_back(input.row(index));
    if (labels_) sample.label = labels_->row(index);
    return sample;
  }

 private:
  std::vector<std::string> names_;
  std::vector<NpyFile> inputs_;
  std::optional<NpyFile> labels_;
  std::string identity_;
};

void check_rows(const NpyFile& first, const NpyFile& other) {
  if (other.rows() != first.rows())
    throw DataError("npy", fmt::format("{} has {} rows, {} has {}; expected one row per sample in each file",
                                       first.path().string(), first.rows(), other.path().string(), other.rows()));
}

std::unique_ptr<Dataset> make_npy(const Component& component) {
  std::vector<std::string> names;
  std::vector<NpyFile> inputs;
  std::vector<std::filesystem::path> paths;
  for (const auto& [name, path] : component.parameters.text_map("inputs")) {
    names.push_back(name);
    paths.emplace_back(path);
    inputs.emplace_back(path);
    check_rows(inputs.front(), inputs.back());
  }
  if (inputs.empty())
    throw config_error(component, "inputs: the map is empty; expected at least one model input with its .npy file");
  if (inputs.front().rows() == 0)
    throw DataError("npy", fmt::format("{}: the array has no rows; expected at least one", paths.front().string()));
  std::optional<NpyFile> labels;
  if (component.parameters.has("labels")) {
    labels.emplace(component.parameters.text("labels"));
    paths.push_back(labels->path());
    check_rows(inputs.front(), *labels);
  }
  return std::make_unique<Npy>(std::move(names), std::move(inputs), std::move(labels),
                               fmt::format("npy({}) {}", component.parameters.describe(), fingerprint_files(paths)));
}

}  // namespace

DatasetKind npy_dataset() {
  return {{.name = "npy",
           .summary = "arrays saved by NumPy, one row per sample",
           .parameters = {{.name = "inputs",
                           .kind = ValueKind::TextMap,
                           .required = true,
                           .summary = "map from each model input to its .npy file"},
                          {.name = "labels", .kind = ValueKind::Path, .summary = ".npy file with one label per row"}}},
          make_npy};
}

}  // namespace lpot
