// The metric of a GLUE task. The default of `measure` is that of LPOT:
//
//   cola                                               mcc: Matthews' correlation, -1..1
//   sts-b                                              corr: mean of Pearson's and Spearman's correlation, -1..1
//   mrpc, qqp, mnli, mnli-mm, qnli, rte, wnli, sst-2   acc: accuracy
//
// Other measures for classes: f1 (of class 1) and acc_and_f1 (the mean of both); for scores: pearson and spearmanr.
// sts-b expects one value per sample and a number as label. Spearman's correlation needs all ranks, so all pairs are
// stored. For the other tasks, answers.h describes the first output.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "lpot/metrics/answers.h"
#include "lpot/metrics/correlation.h"
#include "lpot/metrics/kinds.h"
#include "lpot/metrics/scores.h"

namespace lpot {
namespace {

const std::vector<std::string> kTasks{"mrpc", "qqp",  "qnli",    "rte",  "sts-b",
                                      "cola", "mnli", "mnli-mm", "wnli", "sst-2"};
const std::vector<std::string> kClassMeasures{"acc", "f1", "acc_and_f1", "mcc"};
const std::vector<std::string> kScoreMeasures{"corr", "pearson", "spearmanr"};

DataError nothing_counted() {
  return DataError("GLUE", "no samples were evaluated; check that the data set is not empty");
}

void check_same(const std::string& own, const std::string& other) {
  if (own != other) throw Error("GLUE", fmt::format("{} cannot be merged with {}", own, other));
}

class Classification : public Metric {
 public:
  Classification(std::string task, std::string measure) : task_(std::move(task)), measure_(std::move(measure)) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    for (const Answer& answer : class_answers(outputs, labels, "GLUE").all) confusion_.count(answer);
  }

  // Accuracy is the mean over samples, the other measures are not.
  std::optional<std::vector<SampleScore>> sample_scores(const std::vector<Tensor>& outputs,
                                                        const std::vector<Tensor>& labels) const override {
    if (measure_ != "acc") return std::nullopt;
    const Scores scores(outputs, labels, "GLUE");
    std::vector<SampleScore> samples;
    for (const Answer& answer : class_answers(outputs, labels, "GLUE").all) {
      const bool is_right = answer.given == answer.expected;
      const auto row = scores.row(samples.size());
      const auto expected = static_cast<std::size_t>(answer.expected);
      const double margin = row.size() > 1 && expected < row.size() ? margin_of(row, expected) : 0;
      samples.push_back({is_right ? 1.0 : 0.0, margin});
    }
    return samples;
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<Classification>(other, "GLUE");
    check_same(task_ + " " + measure_, same.task_ + " " + same.measure_);
    confusion_.add(same.confusion_);
  }

  double result() const override {
    if (confusion_.empty()) throw nothing_counted();
    if (measure_ == "mcc") return confusion_.matthews();
    if (measure_ == "f1") return confusion_.f1(1);
    if (measure_ == "acc_and_f1") return (confusion_.accuracy() + confusion_.f1(1)) / 2;
    return confusion_.accuracy();
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<Classification>(task_, measure_); }
  bool needs_class_scores() const override { return true; }

 private:
  std::string task_;
  std::string measure_;
  Confusion confusion_;
};

double label_value(const Tensor& label, std::size_t sample) {
  if (label.empty())
    throw DataError("GLUE", fmt::format("sample {} of the batch has no label, expected one number", sample));
  if (label.size() != 1 || !std::isfinite(label.value_at(0)))
    throw DataError("GLUE", fmt::format("the label of sample {} of the batch is {}, expected one number", sample,
                                        label.size() == 1 ? fmt::format("{}", label.value_at(0)) : label.describe()));
  return label.value_at(0);
}

class Regression : public Metric {
 public:
  explicit Regression(std::string measure) : measure_(std::move(measure)) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    const Scores scores(outputs, labels, "GLUE");
    if (scores.rows() > 0 && scores.columns() != 1)
      throw DataError("GLUE", fmt::format("the first output has {} values per sample, expected one for the task sts-b",
                                          scores.columns()));
    Pairs batch;
    for (std::size_t i = 0; i < labels.size(); ++i) batch.emplace_back(scores.row(i)[0], label_value(labels[i], i));
    pairs_.insert(pairs_.end(), batch.begin(), batch.end());
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<Regression>(other, "GLUE");
    check_same(measure_, same.measure_);
    pairs_.insert(pairs_.end(), same.pairs_.begin(), same.pairs_.end());
  }

  double result() const override {
    if (pairs_.empty()) throw nothing_counted();
    if (measure_ == "pearson") return pearson(pairs_);
    if (measure_ == "spearmanr") return spearman(pairs_);
    return (pearson(pairs_) + spearman(pairs_)) / 2;
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<Regression>(measure_); }

 private:
  std::string measure_;
  Pairs pairs_;
};

std::string check_choice(const Component& component, const std::string& parameter, const std::string& value,
                         const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return value;
  throw config_error(component,
                     fmt::format("{}: expected one of {}, got '{}'", parameter, fmt::join(choices, ", "), value));
}

std::unique_ptr<Metric> make_glue(const Component& component) {
  const Parameters& parameters = component.parameters;
  const std::string task = check_choice(component, "task", parameters.text("task"), kTasks);
  const auto measure = [&](const std::string& usual, const std::vector<std::string>& choices) {
    return parameters.has("measure") ? check_choice(component, fmt::format("measure of the task {}", task),
                                                    parameters.text("measure"), choices)
                                     : usual;
  };
  if (task == "sts-b") return std::make_unique<Regression>(measure("corr", kScoreMeasures));
  return std::make_unique<Classification>(task, measure(task == "cola" ? "mcc" : "acc", kClassMeasures));
}

std::vector<std::string> all_measures() {
  std::vector<std::string> all = kClassMeasures;
  all.insert(all.end(), kScoreMeasures.begin(), kScoreMeasures.end());
  return all;
}

}  // namespace

MetricKind glue_metric() {
  return {{.name = "GLUE",
           .summary = "the metric of a GLUE task: Matthews' correlation for cola, the mean of Pearson's and Spearman's "
                      "for sts-b, accuracy for the others",
           .parameters = {{.name = "task", .default_value = "mrpc", .summary = "name of the task", .choices = kTasks},
                          {.name = "measure",
                           .summary = "measure that replaces the default of the task",
                           .choices = all_measures()}},
           .shorthand = "task"},
          make_glue};
}

}  // namespace lpot
