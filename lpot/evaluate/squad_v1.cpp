// SquadV1 converts start and end logits into answers: texts from the paragraphs, each with a confidence score.
//
// It cuts label_file into windows in the same way as the data. A sample's window is found by its unique id: an integer
// output with one value per sample (graphs with an input pipeline have it), otherwise the label. The logits are two
// outputs [count,length] in the order start, end, or one output [count,length,2].
#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/core/text_tensor.h"
#include "lpot/data/datasets/bert.h"
#include "lpot/data/text/squad_answer.h"
#include "lpot/evaluate/postprocess_kinds.h"

namespace lpot {
namespace {

bool is_whole(const Tensor& tensor) { return is_integer_type(tensor.element_type()); }

bool is_one_each(const Tensor& tensor, std::size_t count) {
  return tensor.size() == count && !tensor.shape().empty() && tensor.shape()[0] == count;
}

struct Logits {
  Tensor start, end;  // f32 [count,length]
};

// Splits [count,length,2] into start and end logits.
Logits split(const Tensor& both) {
  const Tensor values = both.converted(ElementType::F32);
  const Shape shape{both.shape()[0], both.shape()[1]};
  Logits logits{Tensor(ElementType::F32, shape), Tensor(ElementType::F32, shape)};
  for (std::size_t i = 0; i < logits.start.size(); ++i) {
    logits.start.data<float>()[i] = values.data<float>()[2 * i];
    logits.end.data<float>()[i] = values.data<float>()[2 * i + 1];
  }
  return logits;
}

Logits find_logits(const std::vector<Tensor>& outputs, std::size_t count) {
  std::vector<Tensor> rows;
  std::string found;
  for (const Tensor& output : outputs) {
    found += (found.empty() ? "" : ", ") + output.describe();
    if (is_whole(output) || output.shape().empty() || output.shape()[0] != count) continue;
    if (output.shape().size() == 3 && output.shape()[2] == 2) return split(output);
    if (output.shape().size() == 2) rows.push_back(output.converted(ElementType::F32));
  }
  if (rows.size() != 2 || rows[0].shape() != rows[1].shape())
    throw DataError("SquadV1",
                    fmt::format("found the model outputs {}; expected start and end logits, both [{},length] or one "
                                "[{},length,2]. Name them in model.outputs.",
                                found, count, count));
  return {rows[0], rows[1]};
}

class SquadV1 : public Postprocess {
 public:
  SquadV1(SquadWindows windows, std::size_t max_length, AnswerOptions options)
      : windows_(std::move(windows)), max_length_(max_length), options_(options) {}

  BatchResult apply(BatchResult batch) const override {
    const std::size_t count = batch.labels.size();
    const Logits logits = find_logits(batch.outputs, count);
    const std::size_t length = logits.start.shape()[1];
    if (length > max_length_)
      throw DataError("SquadV1", fmt::format("found logits of {} tokens; expected at most max_seq_length = {}. Set "
                                             "max_seq_length to the value that the data were made with.",
                                             length, max_length_));
    std::vector<std::string> texts;
    Tensor scores(ElementType::F64, {count});
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t window = window_of(batch, i);
      const SquadAnswer answer = best_answer(windows_, window, {logits.start.data<float>() + i * length, length},
                                             {logits.end.data<float>() + i * length, length}, options_);
      texts.push_back(answer.text);
      scores.data<double>()[i] = answer.score;
      const SquadQuestion& question = windows_.question(windows_.window(window));
      std::vector<std::string> expected{question.id};
      expected.insert(expected.end(), question.answers.begin(), question.answers.end());
      batch.labels[i] = to_text_tensor(expected);
    }
    return {{to_text_tensor(texts), scores}, std::move(batch.labels)};
  }

 private:
  std::size_t window_of(const BatchResult& batch, std::size_t sample) const {
    std::int64_t id = -1;
    for (const Tensor& output : batch.outputs)
      if (is_whole(output) && is_one_each(output, batch.labels.size()))
        id = static_cast<std::int64_t>(output.value_at(sample));
    const Tensor& label = batch.labels[sample];
    if (id < 0 && !label.empty() && label.size() == 1) id = static_cast<std::int64_t>(label.value_at(0));
    const std::int64_t number = id - SquadWindows::kFirstId;
    if (number < 0 || number >= static_cast<std::int64_t>(windows_.size()))
      throw DataError(
          "SquadV1",
          fmt::format("sample {} of the batch: found unique id {}; expected {} to {}, the windows of label_file "
                      "with max_seq_length {}. Use the file and parameters that the data were made with.",
                      sample, id, SquadWindows::kFirstId,
                      SquadWindows::kFirstId + static_cast<std::int64_t>(windows_.size()) - 1, max_length_));
    return static_cast<std::size_t>(number);
  }

  SquadWindows windows_;
  std::size_t max_length_;
  AnswerOptions options_;
};

std::shared_ptr<const Postprocess> make_squad_v1(const Component& component) {
  const Parameters& parameters = component.parameters;
  const auto positive = [&](const char* name) {
    const std::int64_t value = parameters.integer(name);
    if (value < 1) throw config_error(component, fmt::format("{}: expected at least 1, got {}", name, value));
    return static_cast<std::size_t>(value);
  };
  const WindowOptions options = window_options(component);
  const WordPiece tokenizer(std::make_shared<const Vocabulary>("SquadV1", parameters.text("vocab_file")),
                            {.lower_case = parameters.flag("do_lower_case")});
  return std::make_shared<SquadV1>(
      SquadWindows(read_squad("SquadV1", parameters.text("label_file")), tokenizer, options), options.max_seq_length,
      AnswerOptions{positive("n_best_size"), positive("max_answer_length")});
}

}  // namespace

PostprocessKind squad_v1() {
  std::vector<Parameter> parameters{
      {"label_file", ValueKind::Path, "", true, "the questions: dev-v1.1.json"},
      {"vocab_file", ValueKind::Path, "", true, "vocab.txt or its folder"},
      {"n_best_size", ValueKind::Integer, "20", false, "number of most likely start and end positions to combine"},
      {"max_answer_length", ValueKind::Integer, "30", false, "maximum number of tokens of an answer"}};
  for (Parameter& parameter : window_parameters()) parameters.push_back(std::move(parameter));
  return {{.name = "SquadV1",
           .summary = "SQuAD answer texts from start and end logits",
           .parameters = std::move(parameters)},
          make_squad_v1};
}

}  // namespace lpot
