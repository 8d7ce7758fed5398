// Texts without labels, one per line, tokenized for BERT.
#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/core/text.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/files.h"
#include "lpot/data/text/bert_input.h"
#include "lpot/data/text/tsv.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> text_files(const fs::path& root) {
  std::error_code ignored;
  if (fs::is_regular_file(root, ignored)) return {root};
  if (!fs::is_directory(root, ignored))
    throw DataError("text", fmt::format("{}: no such file or folder; expected texts in .txt files", root.string()));
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.is_regular_file() && entry.path().extension() == ".txt" && entry.path().filename() != "vocab.txt")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class Texts : public Dataset {
 public:
  Texts(const std::vector<fs::path>& files, WordPiece tokenizer, Padding padding, std::string identity)
      : tokenizer_(std::move(tokenizer)), padding_(padding), identity_(std::move(identity)) {
    for (const fs::path& path : files) {
      const TsvFile file("text", path);
      for (std::size_t line = 0; line < file.size(); ++line)
        if (std::string text = trim(file.line(line)); !text.empty()) lines_.push_back(std::move(text));
    }
  }

  std::size_t size() const override { return lines_.size(); }
  std::vector<std::string> input_names() const override { return bert_input_names(); }
  bool names_are_hints() const override { return true; }
  void pad_batch(std::vector<Sample>& samples) const override { pad_inputs(samples, padding_); }
  std::vector<std::size_t> lengths() const override { return padding_.lengths(); }
  Tensor label(std::size_t) const override { return {}; }
  std::string identity() const override { return identity_; }

  Sample at(std::size_t index) const override {
    check_index("text", index, size());
    std::vector<Token> tokens = tokenizer_.tokenize(lines_[index]), none;
    truncate_longest_first(tokens, none, padding_.max_length - 2);
    return {to_tensors(join(tokenizer_.vocabulary(), tokens, none, false)), {}};
  }

 private:
  std::vector<std::string> lines_;
  WordPiece tokenizer_;
  Padding padding_;
  std::string identity_;
};

std::unique_ptr<Dataset> make_text(const Component& component) {
  const Parameters& parameters = component.parameters;
  const std::int64_t length = parameters.integer("max_seq_length");
  if (length < 4) throw config_error(component, fmt::format("max_seq_length: expected at least 4, got {}", length));
  const auto vocabulary = std::make_shared<const Vocabulary>("text", parameters.text("model_name_or_path"));
  std::vector<fs::path> files = text_files(parameters.text("root"));
  std::vector<fs::path> all = files;
  all.push_back(vocabulary->file());
  auto data = std::make_unique<Texts>(
      files, WordPiece(vocabulary, {.lower_case = parameters.flag("do_lower_case")}),
      Padding{static_cast<std::size_t>(length), parameters.flag("dynamic_length"), vocabulary->padding()},
      fmt::format("text({}) {}", parameters.describe(), fingerprint_files(all)));
  if (data->size() == 0)
    throw DataError("text", fmt::format("{}: found no text in {} .txt files; expected one text per line",
                                        parameters.text("root"), files.size()));
  return data;
}

}  // namespace

DatasetKind text_dataset() {
  return {{.name = "text",
           .summary = "texts without labels, one per line, as inputs for BERT",
           .parameters = {{"root", ValueKind::Path, "", true, "text file, or folder with .txt files"},
                          {"model_name_or_path", ValueKind::Path, "", true, "vocab.txt or its folder"},
                          {"max_seq_length", ValueKind::Integer, "128", false,
                           "maximum number of tokens; longer texts are truncated"},
                          {"do_lower_case", ValueKind::Flag, "true", false, "whether the vocabulary is lower-case"},
                          {"dynamic_length", ValueKind::Flag, "true", false,
                           "pad to the longest sample of the batch, if the model supports it"}}},
          make_text};
}

}  // namespace lpot
