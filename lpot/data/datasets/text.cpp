// Texts, one per line, tokenized for BERT: without labels, in class folders, or as pairs with a similarity.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lpot/core/error.h"
#include "lpot/core/text.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/files.h"
#include "lpot/data/image_files.h"
#include "lpot/data/text/bert_input.h"
#include "lpot/data/text/tsv.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr const char* kText = "text";

bool is_text_file(const fs::path& path) { return path.extension() == ".txt" && path.filename() != "vocab.txt"; }

std::vector<fs::path> text_files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && is_text_file(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

struct TextFile {
  fs::path path;
  Tensor label;  // of all its texts; empty: none
};

// The files of a folder; if it has none, those of its subfolders, whose labels count their sorted names.
std::vector<TextFile> find_text_files(const fs::path& root) {
  std::error_code ignored;
  if (fs::is_regular_file(root, ignored)) return {{root, {}}};
  if (!fs::is_directory(root, ignored))
    throw DataError(kText, fmt::format("{}: no such file or folder; expected texts in .txt files", root.string()));
  std::vector<TextFile> files;
  for (fs::path& path : text_files_in(root)) files.push_back({std::move(path), {}});
  if (!files.empty()) return files;
  std::int64_t label = 0;
  for (const fs::path& folder : class_folders(root, is_text_file)) {
    for (fs::path& path : text_files_in(folder)) files.push_back({std::move(path), Tensor::scalar(label)});
    ++label;
  }
  return files;
}

struct TextSample {
  std::string text;
  Tensor label;
};

// One text per line.
std::vector<TextSample> read_lines(const TextFile& text_file) {
  std::vector<TextSample> samples;
  const TsvFile file(kText, text_file.path);
  for (std::size_t line = 0; line < file.size(); ++line)
    if (std::string text = trim(file.line(line)); !text.empty()) samples.push_back({std::move(text), text_file.label});
  return samples;
}

// Two texts and their similarity per line, separated by tabs. The labels are those of the metric STS: the number of the
// pair, which starts at `pair`, and the similarity.
std::vector<TextSample> read_pairs(const TextFile& text_file, std::size_t pair) {
  std::vector<TextSample> samples;
  const TsvFile file(kText, text_file.path);
  for (std::size_t line = 0; line < file.size(); ++line) {
    if (trim(file.line(line)).empty()) continue;
    const auto fields = file.fields(line);
    double similarity = 0;
    const std::string number = fields.size() == 3 ? trim(fields[2]) : "";
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), similarity);
    if (fields.size() != 3 || parsed.ec != std::errc() || parsed.ptr != number.data() + number.size() ||
        !std::isfinite(similarity))
      file.fail(line, fmt::format("found {} columns{}; expected two texts and a number, separated by tabs",
                                  fields.size(), fields.size() == 3 ? " and '" + number + "' as similarity" : ""));
    const Tensor label = Tensor::from<double>({2}, {static_cast<double>(pair++), similarity});
    for (const std::size_t side : {0u, 1u}) samples.push_back({trim(fields[side]), label});
  }
  return samples;
}

class Texts : public Dataset {
 public:
  Texts(std::vector<TextSample> samples, WordPiece tokenizer, Padding padding, std::string identity)
      : samples_(std::move(samples)),
        tokenizer_(std::move(tokenizer)),
        padding_(padding),
        identity_(std::move(identity)) {}

  std::size_t size() const override { return samples_.size(); }
  std::vector<std::string> input_names() const override { return bert_input_names(); }
  bool names_are_hints() const override { return true; }
  void pad_batch(std::vector<Sample>& samples) const override { pad_inputs(samples, padding_); }
  std::vector<std::size_t> lengths() const override { return padding_.lengths(); }
  Tensor label(std::size_t index) const override { return samples_.at(index).label; }
  std::string identity() const override { return identity_; }

  Sample at(std::size_t index) const override {
    check_index(kText, index, size());
    std::vector<Token> tokens = tokenizer_.tokenize(samples_[index].text), none;
    truncate_longest_first(tokens, none, padding_.max_length - 2);
    return {to_tensors(join(tokenizer_.vocabulary(), tokens, none, false)), label(index)};
  }

 private:
  std::vector<TextSample> samples_;
  WordPiece tokenizer_;
  Padding padding_;
  std::string identity_;
};

std::unique_ptr<Dataset> make_text(const Component& component) {
  const Parameters& parameters = component.parameters;
  const std::int64_t length = parameters.integer("max_seq_length");
  if (length < 4) throw config_error(component, fmt::format("max_seq_length: expected at least 4, got {}", length));
  const auto vocabulary = std::make_shared<const Vocabulary>(kText, parameters.text("model_name_or_path"));
  const bool has_pairs = parameters.has("pairs") && parameters.text("pairs") == "separate";
  std::vector<fs::path> read;
  std::vector<TextSample> samples;
  for (const TextFile& file : find_text_files(parameters.text("root"))) {
    read.push_back(file.path);
    for (TextSample& sample : has_pairs ? read_pairs(file, samples.size() / 2) : read_lines(file))
      samples.push_back(std::move(sample));
  }
  if (samples.empty())
    throw DataError(kText, fmt::format("{}: found no text in {} .txt files; expected one text per line",
                                       parameters.text("root"), read.size()));
  read.push_back(vocabulary->file());
  return std::make_unique<Texts>(
      std::move(samples), WordPiece(vocabulary, {.lower_case = parameters.flag("do_lower_case")}),
      Padding{static_cast<std::size_t>(length), parameters.flag("dynamic_length"), vocabulary->padding()},
      fmt::format("text({}) {}", parameters.describe(), fingerprint_files(read)));
}

}  // namespace

DatasetKind text_dataset() {
  return {{.name = "text",
           .summary = "texts, one per line, as inputs for BERT",
           .parameters = {{"root", ValueKind::Path, "", true,
                           "text file, or folder with .txt files, or with one subfolder of such files per "
                           "class, whose labels count the sorted names from 0"},
                          {"model_name_or_path", ValueKind::Path, "", true, "vocab.txt or its folder"},
                          {"max_seq_length", ValueKind::Integer, "128", false,
                           "maximum number of tokens; longer texts are truncated"},
                          {"do_lower_case", ValueKind::Flag, "true", false, "whether the vocabulary is lower-case"},
                          {"dynamic_length", ValueKind::Flag, "true", false,
                           "pad to the longest sample of the batch, if the model supports it"},
                          {.name = "pairs",
                           .summary = "separate: a line has two texts and their similarity, separated by tabs; each "
                                      "text is a sample, for the metric STS",
                           .choices = {"separate"}}}},
          make_text};
}

}  // namespace lpot
