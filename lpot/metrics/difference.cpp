#include "lpot/metrics/difference.h"

#include <fmt/format.h>

#include "lpot/metrics/scores.h"
#include "lpot/metrics/sum.h"

namespace lpot {
namespace {

double sum_of(const Difference& difference, std::span<const double> output, const Tensor& label, std::size_t sample) {
  if (label.empty())
    throw DataError(
        difference.name,
        fmt::format("sample {} of the batch has no label; use compare_label false to compare with fp32", sample));
  if (label.size() != output.size())
    throw DataError(difference.name,
                    fmt::format("the label of sample {} of the batch is {}, expected as many values as the output: {}",
                                sample, label.describe(), output.size()));
  const std::vector<double> expected = to_doubles(label);
  double sum = 0;
  for (std::size_t i = 0; i < output.size(); ++i) sum += difference.of(output[i], expected[i]);
  return sum;
}

class MeanDifference : public Metric {
 public:
  MeanDifference(const Difference& difference, bool compare_label)
      : difference_(difference), compare_label_(compare_label) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    const Scores scores(outputs, labels, difference_.name);
    Sum batch;
    for (std::size_t i = 0; i < labels.size(); ++i) batch.add(sum_of(difference_, scores.row(i), labels[i], i));
    sum_.add(batch);
    count_ += labels.size() * scores.columns();
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<MeanDifference>(other, difference_.name);
    if (same.difference_.name != difference_.name)
      throw Error(difference_.name, fmt::format("cannot be merged with {}", same.difference_.name));
    if (same.compare_label_ != compare_label_)
      throw Error(difference_.name, "errors against labels cannot be merged with errors against fp32");
    sum_.add(same.sum_);
    count_ += same.count_;
  }

  double result() const override {
    if (count_ == 0)
      throw DataError(difference_.name, "no samples were evaluated; check that the data set is not empty");
    const auto mean = static_cast<double>(sum_.value() / static_cast<long double>(count_));
    return difference_.finish ? difference_.finish(mean) : mean;
  }

  std::unique_ptr<Metric> fresh() const override {
    return std::make_unique<MeanDifference>(difference_, compare_label_);
  }
  bool higher_is_better() const override { return false; }
  bool labels_are_baseline() const override { return !compare_label_; }

 private:
  const Difference& difference_;
  bool compare_label_;
  Sum sum_;
  std::size_t count_ = 0;
};

}  // namespace

std::unique_ptr<Metric> make_difference(const Difference& difference, bool compare_label) {
  return std::make_unique<MeanDifference>(difference, compare_label);
}

Entry difference_entry(const Difference& difference, const std::string& summary) {
  return {
      .name = std::string(difference.name),
      .summary = summary,
      .parameters = {{.name = "compare_label",
                      .kind = ValueKind::Flag,
                      .default_value = "true",
                      .summary = "compare with the labels; false: with the output of the fp32 model, which needs an "
                                 "absolute accuracy_criterion"}}};
}

}  // namespace lpot
