// The metric that LPOT reports for a GLUE task:
//
//   cola                                      Matthews' correlation, -1..1
//   sts-b                                     mean of Pearson's and Spearman's correlation, -1..1
//   mrpc, qqp, mnli, qnli, rte, wnli, sst-2   accuracy
//
// sts-b takes one value per sample and a number as label; Spearman's needs the ranks of all, so it keeps every pair.
// The other tasks take answers as answers.h says. For the F1 of mrpc and qqp use the metric F1.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "lpot/metric/answers.h"
#include "lpot/metric/correlation.h"
#include "lpot/metric/kinds.h"
#include "lpot/metric/scores.h"

namespace lpot {
namespace {

const std::vector<std::string> kTasks{"mrpc", "qqp", "qnli", "rte", "sts-b", "cola", "mnli", "wnli", "sst-2"};

DataError nothing_counted() { return DataError("GLUE", "no samples were counted; is the data set empty?"); }

class Classification : public Metric {
 public:
  explicit Classification(std::string task) : task_(std::move(task)) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    for (const Answer& answer : class_answers(outputs, labels, "GLUE").all) confusion_.count(answer);
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<Classification>(other, "GLUE");
    if (same.task_ != task_) throw Error("GLUE", fmt::format("{} cannot be merged with {}", task_, same.task_));
    confusion_.add(same.confusion_);
  }

  double result() const override {
    if (confusion_.empty()) throw nothing_counted();
    return task_ == "cola" ? confusion_.matthews() : confusion_.accuracy();
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<Classification>(task_); }

 private:
  std::string task_;
  Confusion confusion_;
};

double label_value(const Tensor& label, std::size_t sample) {
  if (label.empty()) throw DataError("GLUE", fmt::format("sample {} of the batch has no label", sample));
  if (label.size() != 1 || !std::isfinite(label.value_at(0)))
    throw DataError("GLUE", fmt::format("the label of sample {} of the batch is {}, expected one number", sample,
                                        label.size() == 1 ? fmt::format("{}", label.value_at(0)) : label.describe()));
  return label.value_at(0);
}

class Regression : public Metric {
 public:
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
    const Pairs& pairs = same_kind<Regression>(other, "GLUE").pairs_;
    pairs_.insert(pairs_.end(), pairs.begin(), pairs.end());
  }

  double result() const override {
    if (pairs_.empty()) throw nothing_counted();
    return (pearson(pairs_) + spearman(pairs_)) / 2;
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<Regression>(); }

 private:
  Pairs pairs_;
};

std::unique_ptr<Metric> make_glue(const Component& component) {
  const std::string task = component.parameters.text("task");
  if (std::find(kTasks.begin(), kTasks.end(), task) == kTasks.end())
    throw config_error(component, fmt::format("task: expected one of {}, got '{}'", fmt::join(kTasks, ", "), task));
  if (task == "sts-b") return std::make_unique<Regression>();
  return std::make_unique<Classification>(task);
}

}  // namespace

MetricKind glue_metric() {
  return {{.name = "GLUE",
           .summary = "the metric of a GLUE task: Matthews' correlation for cola, the mean of Pearson's and Spearman's "
                      "for sts-b, accuracy for the others",
           .parameters = {{.name = "task", .default_value = "mrpc", .summary = "name of the task", .choices = kTasks}},
           .shorthand = "task"},
          make_glue};
}

}  // namespace lpot
