// Mean of the squared differences between the first output and the labels, over all values.
//
// Each sample is summed on its own in double, then the samples in long double with Neumaier's compensation: what the
// order and the cuts change is far below a double's precision. A value that is not finite makes the result not a
// number.
#include <fmt/format.h>

#include <cmath>

#include "lpot/metric/kinds.h"
#include "lpot/metric/scores.h"

namespace lpot {
namespace {

// Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, 1974.
class Sum {
 public:
  void add(long double value) {
    const long double next = total_ + value;
    lost_ += std::fabs(total_) >= std::fabs(value) ? (total_ - next) + value : (value - next) + total_;
    total_ = next;
  }
  void add(const Sum& other) {
    add(other.total_);
    add(other.lost_);
  }
  long double value() const { return total_ + lost_; }

 private:
  long double total_ = 0;
  long double lost_ = 0;
};

double squared_error(std::span<const double> output, const Tensor& label, std::size_t sample) {
  if (label.empty())
    throw DataError(
        "MSE",
        fmt::format("sample {} of the batch has no label; use compare_label false to compare with fp32", sample));
  if (label.size() != output.size())
    throw DataError("MSE",
                    fmt::format("the label of sample {} of the batch is {}, expected as many values as the output: {}",
                                sample, label.describe(), output.size()));
  const std::vector<double> expected = to_doubles(label);
  double sum = 0;
  for (std::size_t i = 0; i < output.size(); ++i) sum += (output[i] - expected[i]) * (output[i] - expected[i]);
  return sum;
}

class Mse : public Metric {
 public:
  explicit Mse(bool compare_label) : compare_label_(compare_label) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    const Scores scores(outputs, labels, "MSE");
    Sum batch;
    for (std::size_t i = 0; i < labels.size(); ++i) batch.add(squared_error(scores.row(i), labels[i], i));
    sum_.add(batch);
    count_ += labels.size() * scores.columns();
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<Mse>(other, "MSE");
    if (same.compare_label_ != compare_label_)
      throw Error("MSE", "errors against labels cannot be merged with errors against fp32");
    sum_.add(same.sum_);
    count_ += same.count_;
  }

  double result() const override {
    if (count_ == 0) throw DataError("MSE", "no samples were counted; is the data set empty?");
    return static_cast<double>(sum_.value() / static_cast<long double>(count_));
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<Mse>(compare_label_); }
  bool higher_is_better() const override { return false; }
  bool labels_are_baseline() const override { return !compare_label_; }

 private:
  bool compare_label_;
  Sum sum_;
  std::size_t count_ = 0;
};

}  // namespace

MetricKind mse_metric() {
  return {{.name = "MSE",
           .summary = "mean squared error; lower is better",
           .parameters = {{.name = "compare_label",
                           .kind = ValueKind::Flag,
                           .default_value = "true",
                           .summary = "with the data set's labels; false: with the fp32 model's output"}}},
          [](const Component& component) -> std::unique_ptr<Metric> {
            return std::make_unique<Mse>(component.parameters.flag("compare_label"));
          }};
}

}  // namespace lpot
