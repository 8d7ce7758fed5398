#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/text.h"
#include "lpot/data/datasets/bert.h"
#include "lpot/data/files.h"
#include "lpot/data/tf_example.h"
#include "lpot/data/tfrecord.h"

namespace lpot {
namespace {

constexpr std::size_t kShown = 40;  // characters of a wrong line in a message

// A single value becomes a scalar, so that a batch of them has one dimension.
template <typename T>
Tensor to_tensor(const std::vector<T>& values) {
  return values.size() == 1 ? Tensor::scalar<T>(values[0]) : Tensor::from<T>({values.size()}, values);
}

std::vector<std::int64_t> read_labels(const std::filesystem::path& file) {
  const std::vector<std::uint8_t> bytes = read_file(file);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<std::int64_t> labels;
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string word = trim(text.substr(begin, end - begin));
    std::int64_t label = 0;
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), label);
    if (word.empty() || parsed.ec != std::errc() || parsed.ptr != word.data() + word.size())
      throw DataError("bert",
                      fmt::format("{}:{}: the label of record {} is '{}'; expected an integer", file.string(), line,
                                  line - 1, word.size() > kShown ? word.substr(0, kShown) + "..." : word));
    labels.push_back(label);
    begin = end + 1;
  }
  return labels;
}

std::size_t length(const Feature& feature) { return feature.integers.size() + feature.floats.size(); }

class BertRecords : public Dataset {
  template <typename Use>
  auto with_example(std::size_t index, Use use) const {
    std::vector<std::uint8_t> bytes = records_.read(index);
    try {
      return use(Example(std::move(bytes)));
    } catch (const DataError& error) {
      throw DataError("bert", fmt::format("{}: {}", records_.describe(index), error.what()));
    }
  }

 public:
  explicit BertRecords(const Component& component)
      : records_("bert", find_record_files("bert", component.parameters.text("root"))),
        label_name_(component.parameters.text("task") == "squad" ? "unique_ids" : "label_ids"),
        identity_(fmt::format("bert({}) {}", component.parameters.describe(), fingerprint_files(records_.files()))) {
    with_example(0, [&](const Example& first) {
      for (const std::string& name : first.names()) {  // in sorted order
        if (!first[name].texts.empty()) continue;
        names_.push_back(name);
        lengths_.push_back(length(first[name]));
      }
      if (names_.empty())
        throw DataError("parse", fmt::format("the record has no integer or float features, only {}",
                                             fmt::join(first.names(), ", ")));
    });
    if (component.parameters.text("task") == "squad" || !component.parameters.has("label_file")) return;
    labels_ = read_labels(component.parameters.text("label_file"));
    if (labels_.size() != records_.size())
      throw DataError("bert", fmt::format("{}: found {} labels for {} records; expected equal numbers",
                                          component.parameters.text("label_file"), labels_.size(), records_.size()));
  }

  std::size_t size() const override { return records_.size(); }
  std::vector<std::string> input_names() const override { return names_; }
  bool names_are_hints() const override { return true; }
  std::string identity() const override { return identity_; }

  Sample at(std::size_t index) const override {
    return with_example(index, [&](const Example& example) { return to_sample(example, index); });
  }

 private:
  Sample to_sample(const Example& example, std::size_t index) const {
    Sample sample;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const Feature& feature = example[names_[i]];
      if (length(feature) == 0)
        throw DataError(
            "parse", fmt::format("the record has no feature {}, only {}", names_[i], fmt::join(example.names(), ", ")));
      if (length(feature) != lengths_[i])
        throw DataError("parse", fmt::format("the feature {} has {} values and {} in the first record; expected equal "
                                             "lengths in all records",
                                             names_[i], length(feature), lengths_[i]));
      sample.inputs.push_back(feature.integers.empty() ? to_tensor(feature.floats) : to_tensor(feature.integers));
    }
    if (!labels_.empty()) {
      sample.label = Tensor::scalar<std::int64_t>(labels_[index]);
    } else if (const Feature& label = example[label_name_]; label.integers.size() == 1) {
      sample.label = to_tensor(label.integers);
    }
    return sample;
  }

  TFRecords records_;
  std::string label_name_;
  std::string identity_;
  std::vector<std::string> names_;
  std::vector<std::size_t> lengths_;  // of the features of these names
  std::vector<std::int64_t> labels_;
};

}  // namespace

std::unique_ptr<Dataset> make_bert_records(const Component& component) {
  return std::make_unique<BertRecords>(component);
}

}  // namespace lpot
