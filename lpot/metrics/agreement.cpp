// The fraction of samples with the same highest value of the first output as the fp32 model. Needs no labels. Rows with
// NaN never agree.
#include <fmt/format.h>

#include "lpot/metrics/kinds.h"
#include "lpot/metrics/output_kind.h"
#include "lpot/metrics/scores.h"

namespace lpot {
namespace {

void check_row(const Tensor& baseline, std::size_t sample, std::size_t columns) {
  if (columns < 2)
    throw DataError("Agreement",
                    "the first output has one value per sample, expected at least two; use MSE with "
                    "compare_label false");
  if (baseline.empty() || baseline.size() != columns)
    throw DataError("Agreement", fmt::format("the fp32 output for sample {} of the batch is {}, expected {} values",
                                             sample, baseline.empty() ? "missing" : baseline.describe(), columns));
}

class Agreement : public Metric {
 public:
  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    const auto samples = sample_scores(outputs, labels);
    for (const SampleScore& sample : *samples) share_.count(sample.value == 1);
  }

  std::optional<std::vector<SampleScore>> sample_scores(const std::vector<Tensor>& outputs,
                                                        const std::vector<Tensor>& labels) const override {
    const Scores scores(outputs, labels, "Agreement");
    std::vector<SampleScore> samples;
    if (scores.rows() == 0) return samples;
    check_class_scores(outputs, "Agreement");
    for (std::size_t i = 0; i < labels.size(); ++i) {
      check_row(labels[i], i, scores.columns());
      const auto baseline = argmax(to_doubles(labels[i]));
      const bool agrees = baseline && argmax(scores.row(i)) == baseline;
      samples.push_back({agrees ? 1.0 : 0.0, baseline ? margin_of(scores.row(i), *baseline) : 0});
    }
    return samples;
  }

  void merge(const Metric& other) override { share_.add(same_kind<Agreement>(other, "Agreement").share_); }
  double result() const override { return share_.value("Agreement"); }
  std::unique_ptr<Metric> fresh() const override { return std::make_unique<Agreement>(); }
  bool needs_class_scores() const override { return true; }
  bool labels_are_baseline() const override { return true; }

 private:
  Share share_;
};

}  // namespace

MetricKind agreement_metric() {
  return {{.name = "Agreement",
           .summary = "fraction of samples with the same prediction as the fp32 model; needs no labels"},
          [](const Component&) -> std::unique_ptr<Metric> { return std::make_unique<Agreement>(); }};
}

}  // namespace lpot
