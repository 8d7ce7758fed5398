// BERT's inputs: questions from SQuAD's JSON file, or existing TensorFlow records.
//
// With a vocabulary as `root`, the questions of label_file are split into windows (text/squad_windows.h): ids, mask,
// segments and the unique id of the window, which is also the label. With records, every integer or float feature is an
// input. The inputs are sorted by name, which is the order of the input pipeline inside a TensorFlow graph.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lpot/core/error.h"
#include "lpot/data/datasets/bert.h"
#include "lpot/data/datasets/kinds.h"
#include "lpot/data/files.h"
#include "lpot/data/text/bert_input.h"
#include "lpot/data/text/squad_windows.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

class SquadData : public Dataset {
 public:
  SquadData(SquadWindows windows, std::shared_ptr<const Vocabulary> vocabulary, Padding padding, std::string identity)
      : windows_(std::move(windows)),
        vocabulary_(std::move(vocabulary)),
        padding_(padding),
        identity_(std::move(identity)) {}

  // Selects the questions of these articles.
  void select_articles(const Component& component, const std::vector<std::string>& articles) {
    std::set<std::string> known;
    for (const SquadParagraph& paragraph : windows_.squad().paragraphs) known.insert(paragraph.title);
    for (const std::string& title : articles)
      if (!known.contains(title))
        throw config_error(component, fmt::format("articles: label_file has no article '{}'{}", title,
                                                  did_you_mean(title, {known.begin(), known.end()})));
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      const auto& title = windows_.squad().paragraphs[windows_.question(windows_.window(i)).paragraph].title;
      if (articles.empty() || std::find(articles.begin(), articles.end(), title) != articles.end())
        selected_.push_back(i);
    }
  }

  std::size_t size() const override { return selected_.size(); }
  std::string identity() const override { return identity_; }
  bool names_are_hints() const override { return true; }
  void pad_batch(std::vector<Sample>& samples) const override { pad_inputs(samples, padding_); }
  std::vector<std::size_t> lengths() const override { return padding_.lengths(); }

  std::vector<std::string> input_names() const override {
    std::vector<std::string> names = bert_input_names();
    names.emplace_back("unique_ids");
    return names;
  }

  Sample at(std::size_t index) const override {
    check_index("bert", index, size());
    const Window& window = windows_.window(selected_[index]);
    const std::vector<Token>& question = windows_.question_tokens(window);
    const std::span<const Token> context(windows_.context_tokens(window));
    const Tensor id = label(index);
    Sample sample{to_tensors(join(*vocabulary_, question, context.subspan(window.first, window.count), true)), id};
    sample.inputs.push_back(id);
    return sample;
  }

  Tensor label(std::size_t index) const override {
    return Tensor::scalar<std::int64_t>(SquadWindows::kFirstId + static_cast<std::int64_t>(selected_.at(index)));
  }

 private:
  SquadWindows windows_;
  std::vector<std::size_t> selected_;  // indices of windows
  std::shared_ptr<const Vocabulary> vocabulary_;
  Padding padding_;
  std::string identity_;
};

bool is_vocabulary(const fs::path& root) {
  std::error_code ignored;
  return fs::is_directory(root, ignored) ? fs::exists(root / "vocab.txt", ignored) : root.extension() == ".txt";
}

std::unique_ptr<Dataset> make_squad(const Component& component) {
  const Parameters& parameters = component.parameters;
  if (parameters.text("task") != "squad")
    throw config_error(
        component, fmt::format("root: {} is a vocabulary; the task {} expects TensorFlow records. For the TSV files "
                               "of GLUE, use the data set GLUE",
                               parameters.text("root"), parameters.text("task")));
  if (!parameters.has("label_file"))
    throw config_error(component, "label_file is missing; set it to SQuAD's dev-v1.1.json");
  const fs::path file = parameters.text("label_file");
  const auto vocabulary = std::make_shared<const Vocabulary>("bert", parameters.text("root"));
  SquadWindows windows(read_squad("bert", file),
                       WordPiece(vocabulary, {.lower_case = parameters.flag("do_lower_case")}),
                       window_options(component));
  const Padding padding{static_cast<std::size_t>(parameters.integer("max_seq_length")),
                        parameters.flag("dynamic_length"), vocabulary->padding()};
  auto data = std::make_unique<SquadData>(
      std::move(windows), vocabulary, padding,
      fmt::format("bert({}) {}", parameters.describe(), fingerprint_files({file, vocabulary->file()})));
  data->select_articles(component, parameters.texts("articles"));
  return data;
}

std::unique_ptr<Dataset> make_bert(const Component& component) {
  check_model_type(component);
  if (is_vocabulary(component.parameters.text("root"))) return make_squad(component);
  return make_bert_records(component);
}

}  // namespace

WindowOptions window_options(const Component& component) {
  const auto positive = [&](const char* name) {
    const std::int64_t value = component.parameters.integer(name);
    if (value < 1) throw config_error(component, fmt::format("{}: expected at least 1, got {}", name, value));
    return static_cast<std::size_t>(value);
  };
  const WindowOptions options{positive("max_seq_length"), positive("doc_stride"), positive("max_query_length")};
  if (options.max_query_length + 3 >= options.max_seq_length)
    throw config_error(component,
                       fmt::format("max_seq_length: {} tokens are too few for a question of max_query_length {}, 3 "
                                   "special tokens and a part of the paragraph",
                                   options.max_seq_length, options.max_query_length));
  return options;
}

std::vector<Parameter> window_parameters() {
  return {
      {"max_seq_length", ValueKind::Integer, "384", false, "number of tokens of a window with its question"},
      {"doc_stride", ValueKind::Integer, "128", false, "number of tokens between the starts of two windows"},
      {"max_query_length", ValueKind::Integer, "64", false, "longer questions are truncated to this number of tokens"},
      {"do_lower_case", ValueKind::Flag, "true", false, "whether the vocabulary is lower-case"}};
}

DatasetKind bert_dataset() {
  std::vector<Parameter> parameters{
      {"root", ValueKind::Path, "", true, "vocab.txt or its folder, or TensorFlow records: a file, folder or pattern"},
      {"label_file", ValueKind::Path, "", false,
       "squad: dev-v1.1.json; classifier: one label per line, for records without label_ids"},
      {"task", ValueKind::Text, "squad", false, "kind of the labels", {"squad", "classifier"}},
      {"model_type", ValueKind::Text, "bert", false, "model type of the vocabulary", model_types()},
      {"articles", ValueKind::TextList, "[]", false, "titles of the SQuAD articles to use; empty: all"},
      {"dynamic_length", ValueKind::Flag, "true", false,
       "pad to the longest sample of the batch, if the model supports it"}};
  for (Parameter& parameter : window_parameters()) parameters.push_back(std::move(parameter));
  return {{.name = "bert",
           .summary = "questions of SQuAD v1.1 from its JSON file, or TensorFlow records for BERT",
           .parameters = std::move(parameters)},
          make_bert};
}

}  // namespace lpot
