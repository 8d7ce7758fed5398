// Sentences and sentence pairs of a GLUE task, read from its TSV files and tokenized for BERT.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lpot/core/error.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/files.h"
#include "lpot/data/text/bert_input.h"
#include "lpot/data/text/glue_task.h"
#include "lpot/data/text/tsv.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

// data_dir if it is a file, else the file in data_dir that `evaluate` selects.
fs::path find_tsv(const Parameters& parameters, const GlueTask& task) {
  fs::path root = parameters.text("data_dir");
  std::error_code ignored;
  if (fs::is_regular_file(root, ignored)) return root;
  return need_file(
      {.dataset = "GLUE",
       .root = root,
       .subfolders = {},
       .hint = "set data_dir to the folder of one task with train.tsv and dev.tsv, or to one of the files"},
      file_name(task, parameters.flag("evaluate") ? GluePart::Dev : GluePart::Train));
}

Tensor read_label(const TsvFile& file, std::size_t line, const GlueTask& task, std::string_view text) {
  if (task.labels.empty()) {
    float value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || !(value >= 0) ||
        !(value <= 5))
      file.fail(line, fmt::format("the label is '{}', expected a number from 0 to 5 for the task {}", text, task.name));
    return Tensor::scalar<float>(value);
  }
  const auto found = std::find(task.labels.begin(), task.labels.end(), text);
  if (found == task.labels.end())
    file.fail(line, fmt::format("the label is '{}', expected {} for the task {}", text, fmt::join(task.labels, " or "),
                                task.name));
  return Tensor::scalar<std::int64_t>(found - task.labels.begin());
}

// The label of a text of a pair: the number of the pair, and the label of the pair (metric STS).
Tensor pair_label(std::size_t pair, const Tensor& label) {
  return label.empty() ? Tensor() : Tensor::from<double>({2}, {static_cast<double>(pair), label.value_at(0)});
}

class Glue : public Dataset {
 public:
  // `separate`: each sentence of a pair is a separate sample.
  Glue(const GlueTask& task, const fs::path& path, WordPiece tokenizer, Padding padding, bool separate)
      : columns_(task.columns(part_of(path.filename().string()))),
        file_("GLUE", path),
        tokenizer_(std::move(tokenizer)),
        padding_(padding),
        texts_(separate ? 2 : 1) {
    if (separate && !columns_.second)
      throw ConfigError("GLUE", fmt::format("pairs is separate, but the task {} has single sentences; expected a task "
                                            "of sentence pairs, for example sts-b",
                                            task.name));
    for (std::size_t line = columns_.has_header ? 1 : 0; line < file_.size(); ++line) {
      const auto fields = file_.fields(line);
      if (fields.size() != columns_.count)
        file_.fail(line, fmt::format("{} columns, expected {} for the task {}. Separate the fields with single tabs",
                                     fields.size(), columns_.count, task.name));
      labels_.push_back(columns_.label ? read_label(file_, line, task, fields[*columns_.label]) : Tensor());
    }
    if (labels_.empty()) throw DataError("GLUE", fmt::format("{}: the file contains no sentences", path.string()));
  }

  std::size_t size() const override { return labels_.size() * texts_; }
  std::vector<std::string> input_names() const override { return bert_input_names(); }
  bool names_are_hints() const override { return true; }
  void pad_batch(std::vector<Sample>& samples) const override { pad_inputs(samples, padding_); }
  std::vector<std::size_t> lengths() const override { return padding_.lengths(); }
  Tensor label(std::size_t index) const override {
    const Tensor& label = labels_.at(index / texts_);
    return texts_ == 1 ? label : pair_label(index / texts_, label);
  }
  std::string identity() const override { return identity_; }
  void set_identity(std::string identity) { identity_ = std::move(identity); }

  Sample at(std::size_t index) const override {
    check_index("GLUE", index, size());
    const auto fields = file_.fields(index / texts_ + (columns_.has_header ? 1 : 0));
    const bool is_pair = columns_.second && texts_ == 1;
    const bool is_second = index % texts_ == 1;
    std::vector<Token> first = tokenizer_.tokenize(fields[is_second ? *columns_.second : columns_.first]), second;
    if (is_pair) second = tokenizer_.tokenize(fields[*columns_.second]);
    truncate_longest_first(first, second, padding_.max_length - (is_pair ? 3 : 2));
    return {to_tensors(join(tokenizer_.vocabulary(), first, second, is_pair)), label(index)};
  }

 private:
  GlueColumns columns_;
  TsvFile file_;
  std::vector<Tensor> labels_;
  WordPiece tokenizer_;
  Padding padding_;
  std::size_t texts_;  // samples per line
  std::string identity_;
};

std::unique_ptr<Dataset> make_glue(const Component& component) {
  const Parameters& parameters = component.parameters;
  check_model_type(component);
  const std::int64_t length = parameters.integer("max_seq_length");
  if (length < 4) throw config_error(component, fmt::format("max_seq_length: expected at least 4, got {}", length));
  const GlueTask& task = glue_task(parameters.text("task"));
  const auto vocabulary = std::make_shared<const Vocabulary>("GLUE", parameters.text("model_name_or_path"));
  const fs::path file = find_tsv(parameters, task);
  auto data = std::make_unique<Glue>(
      task, file, WordPiece(vocabulary, {.lower_case = parameters.flag("do_lower_case")}),
      Padding{static_cast<std::size_t>(length), parameters.flag("dynamic_length"), vocabulary->padding()},
      parameters.has("pairs") && parameters.text("pairs") == "separate");
  data->set_identity(fmt::format("GLUE({}) {}", parameters.describe(), fingerprint_files({file, vocabulary->file()})));
  return data;
}

}  // namespace

DatasetKind glue_dataset() {
  return {{.name = "GLUE",
           .summary = "sentences of a GLUE task from its TSV files, as inputs for BERT",
           .parameters = {{"data_dir", ValueKind::Path, "", true, "folder of the task, or one of its TSV files"},
                          {"model_name_or_path", ValueKind::Path, "", true, "vocab.txt or its folder"},
                          {"task", ValueKind::Text, "mrpc", false, "name of the task", glue_task_names()},
                          {"model_type", ValueKind::Text, "bert", false, "model type of the vocabulary", model_types()},
                          {"max_seq_length", ValueKind::Integer, "128", false,
                           "maximum number of tokens; the longer sentence is truncated first"},
                          {"do_lower_case", ValueKind::Flag, "true", false, "whether the vocabulary is lower-case"},
                          {"dynamic_length", ValueKind::Flag, "true", false,
                           "pad to the longest sample of the batch, if the model supports it"},
                          {"evaluate", ValueKind::Flag, "true", false, "in a folder, read dev.tsv; false: train.tsv"},
                          {.name = "pairs",
                           .summary = "separate: each sentence of a pair is a sample, for the metric STS (default: "
                                      "joined)",
                           .choices = {"joined", "separate"}}}},
          make_glue};
}

}  // namespace lpot
