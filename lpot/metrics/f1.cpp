// F1: the harmonic mean of precision and recall.
//
//   binary (default)  of class 1, for two classes: 2 tp / (2 tp + fp + fn), as scikit-learn's f1_score
//   macro             the mean of the F1 of all predicted or expected classes
//
// LPOT documents F1 for binary classification and averages it over batches. Here it is computed over all samples, so it
// does not depend on the batch size. It is 0 without a correct prediction. answers.h describes the first output;
// samples with NaN scores are never correct.
#include <fmt/format.h>

#include <algorithm>

#include "lpot/metrics/answers.h"
#include "lpot/metrics/kinds.h"

namespace lpot {
namespace {

void check_binary(const Answers& answers) {
  if (answers.classes > 2)
    throw DataError(
        "F1", fmt::format("the first output has {} classes, expected 2; use average macro for more", answers.classes));
  for (std::size_t i = 0; i < answers.all.size(); ++i) {
    const Answer& answer = answers.all[i];
    const std::int64_t highest = std::max(answer.given.value_or(0), answer.expected);
    if (highest > 1)
      throw DataError("F1", fmt::format("class {} of sample {} of the batch, expected 0 or 1; use average macro for "
                                        "more classes",
                                        highest, i));
  }
}

class F1 : public Metric {
 public:
  explicit F1(bool macro) : macro_(macro) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    const Answers answers = class_answers(outputs, labels, "F1");
    if (!macro_) check_binary(answers);
    for (Answer answer : answers.all) {
      if (!macro_ && !answer.given) answer.given = 1 - answer.expected;  // no prediction is a wrong prediction
      confusion_.count(answer);
    }
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<F1>(other, "F1");
    if (same.macro_ != macro_) throw Error("F1", "binary cannot be merged with macro");
    confusion_.add(same.confusion_);
  }

  double result() const override {
    if (confusion_.empty()) throw DataError("F1", "no samples were evaluated; check that the data set is not empty");
    return macro_ ? confusion_.macro_f1() : confusion_.f1(1);
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<F1>(macro_); }
  bool needs_class_scores() const override { return true; }

 private:
  bool macro_;
  Confusion confusion_;
};

std::unique_ptr<Metric> make_f1(const Component& component) {
  const std::string& average = component.parameters.text("average");
  if (average != "binary" && average != "macro")
    throw config_error(component, fmt::format("average: expected binary or macro, got '{}'", average));
  return std::make_unique<F1>(average == "macro");
}

}  // namespace

MetricKind f1_metric() {
  return {{.name = "F1",
           .summary = "harmonic mean of precision and recall",
           .parameters = {{.name = "average",
                           .default_value = "binary",
                           .summary = "binary: of class 1; macro: mean over all classes",
                           .choices = {"binary", "macro"}}}},
          make_f1};
}

}  // namespace lpot
