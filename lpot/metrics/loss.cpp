// The mean of the first output, for a model that computes its own loss: one row per sample with one or several values
// (such as a loss per token). Labels are ignored, so the data set does not need any. A value that is not finite makes
// the result NaN.
#include "lpot/metrics/kinds.h"
#include "lpot/metrics/scores.h"
#include "lpot/metrics/sum.h"

namespace lpot {
namespace {

class Loss : public Metric {
 public:
  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    const Scores scores(outputs, labels, "Loss");
    for (std::size_t i = 0; i < scores.rows(); ++i) {
      double sample = 0;
      for (const double value : scores.row(i)) sample += value;
      sum_.add(sample);
    }
    count_ += scores.rows() * scores.columns();
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<Loss>(other, "Loss");
    sum_.add(same.sum_);
    count_ += same.count_;
  }

  double result() const override {
    if (count_ == 0) throw DataError("Loss", "no samples were evaluated; check that the data set is not empty");
    return static_cast<double>(sum_.value() / static_cast<long double>(count_));
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<Loss>(); }
  bool higher_is_better() const override { return false; }

 private:
  Sum sum_;
  std::size_t count_ = 0;
};

}  // namespace

MetricKind loss_metric() {
  return {{.name = "Loss", .summary = "mean of the first output, which is the model's loss; lower is better"},
          [](const Component&) -> std::unique_ptr<Metric> { return std::make_unique<Loss>(); }};
}

}  // namespace lpot
