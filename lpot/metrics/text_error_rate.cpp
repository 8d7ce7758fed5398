#include "lpot/metrics/text_error_rate.h"

#include <fmt/format.h>

#include "lpot/core/text_tensor.h"
#include "lpot/core/unicode.h"

namespace lpot {
namespace {

std::u32string comparable(const std::string& text, const TextErrorOptions& options) {
  std::u32string result;
  for (CodePoints points(text); points.next();) {
    const CodePoint point = points.code_point();
    if (options.ignore_punctuation && is_punctuation(point)) continue;
    result.push_back(options.ignore_case ? lower(point) : point);
  }
  return result;
}

class TextErrorMetric : public Metric {
 public:
  TextErrorMetric(const TextErrorRate& rate, const TextErrorOptions& options) : rate_(rate), options_(options) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    const std::vector<std::string> texts = given_texts(outputs, labels.size());
    EditCounts batch;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const EditCounts sample = rate_.count(comparable(texts[i], options_), reference(labels[i], i));
      if (sample.length == 0 && options_.compare_label && !options_.allow_empty)
        throw DataError(rate_.name,
                        fmt::format("the reference text of sample {} of the batch is empty; expected text. Correct the "
                                    "label, or count the text of the model as errors with allow_empty true",
                                    i));
      batch.edits += sample.edits;
      batch.length += sample.length;
    }
    add(batch);
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<TextErrorMetric>(other, rate_.name);
    if (&same.rate_ != &rate_)
      throw Error(rate_.name, fmt::format("cannot be merged with another {}", same.rate_.name));
    if (same.options_.compare_label != options_.compare_label)
      throw Error(rate_.name, "errors against labels cannot be merged with errors against fp32");
    add(same.total_);
  }

  double result() const override {
    if (total_.length == 0)
      throw DataError(rate_.name, options_.compare_label
                                      ? "the reference texts are empty; check that the data set is not empty"
                                      : "all texts of the fp32 model are empty; check the preprocessing and the "
                                        "postprocessing transform CTC");
    return static_cast<double>(total_.edits) / static_cast<double>(total_.length);
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<TextErrorMetric>(rate_, options_); }
  bool higher_is_better() const override { return false; }
  bool labels_are_baseline() const override { return !options_.compare_label; }
  bool compares_postprocessed() const override { return true; }

 private:
  std::vector<std::string> given_texts(const std::vector<Tensor>& outputs, std::size_t count) const {
    if (outputs.empty() || !holds_texts(outputs[0]))
      throw DataError(rate_.name,
                      fmt::format("the first output is {}, expected texts; add the postprocessing transform CTC, which "
                                  "converts the scores of characters to texts",
                                  outputs.empty() ? "missing" : outputs[0].describe()));
    if (outputs[0].shape()[0] != count)
      throw DataError(rate_.name,
                      fmt::format("{} texts for {} samples; expected equal numbers", outputs[0].shape()[0], count));
    return to_texts(outputs[0]);
  }

  std::u32string reference(const Tensor& label, std::size_t sample) const {
    const bool is_text = !label.empty() && label.element_type() == ElementType::U8 &&
                         (label.shape().size() == 1 || (label.shape().size() == 2 && label.shape()[0] == 1));
    if (!is_text)
      throw DataError(rate_.name,
                      fmt::format("the label of sample {} of the batch is {}, expected one text; a data set with texts "
                                  "as labels is text_images or audio, and compare_label false compares with fp32",
                                  sample, label.empty() ? "missing" : label.describe()));
    return comparable(to_texts(label.reshaped({1, label.size()})).front(), options_);
  }

  void add(const EditCounts& counts) {
    total_.edits += counts.edits;
    total_.length += counts.length;
  }

  const TextErrorRate& rate_;
  TextErrorOptions options_;
  EditCounts total_;
};

}  // namespace

std::unique_ptr<Metric> make_text_error_rate(const TextErrorRate& rate, const TextErrorOptions& options) {
  return std::make_unique<TextErrorMetric>(rate, options);
}

std::vector<Parameter> text_error_parameters() {
  return {
      {.name = "compare_label",
       .kind = ValueKind::Flag,
       .default_value = "true",
       .summary = "compare with the labels; false: with the texts of the fp32 model, which needs an absolute "
                  "accuracy_criterion"},
      {.name = "ignore_case", .kind = ValueKind::Flag, .default_value = "false", .summary = "compare lower-case texts"},
      {.name = "ignore_punctuation",
       .kind = ValueKind::Flag,
       .default_value = "false",
       .summary = "leave out punctuation"},
      {.name = "allow_empty",
       .kind = ValueKind::Flag,
       .default_value = "false",
       .summary = "accept samples whose reference text is empty"}};
}

TextErrorOptions text_error_options(const Parameters& parameters) {
  return {.compare_label = parameters.flag("compare_label"),
          .allow_empty = parameters.flag("allow_empty"),
          .ignore_case = parameters.flag("ignore_case"),
          .ignore_punctuation = parameters.flag("ignore_punctuation")};
}

std::u32string_view stripped(std::u32string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace lpot
