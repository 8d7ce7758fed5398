// The fraction of correct predictions. The meaning of the first output of a sample depends on its size and type:
//   several scores, label is one number:     the prediction is the class of the highest score (the first of equals);
//   several scores, label of the same size:  each score above 0.5 is a yes; each score is a separate prediction;
//   one integer:                             the class itself (a model that ends with ArgMax);
//   one score:                               class 1 if it is above 0.5, else class 0.
// NaN scores are never correct.
#include <fmt/format.h>

#include <cmath>

#include "lpot/metrics/kinds.h"
#include "lpot/metrics/output_kind.h"
#include "lpot/metrics/scores.h"

namespace lpot {
namespace {

constexpr double kThreshold = 0.5;

Share count_each(std::span<const double> scores, const Tensor& label) {
  Share share;
  const std::vector<double> expected = to_doubles(label);
  for (std::size_t i = 0; i < scores.size(); ++i)
    share.count(!std::isnan(scores[i]) && (scores[i] > kThreshold) == (expected[i] > kThreshold));
  return share;
}

// The predictions for one sample, and their margin to other predictions.
struct Counted {
  Share share;
  double margin = 0;
};

bool single_is_right(double score, bool is_class, const Tensor& label, std::size_t sample) {
  if (is_class) return score == static_cast<double>(label_number(label, sample, "Accuracy"));
  const std::size_t expected = label_class(label, sample, 2, "Accuracy");
  return !std::isnan(score) && (score > kThreshold ? 1u : 0u) == expected;
}

class Accuracy : public Metric {
 public:
  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    for (const Counted& sample : count(outputs, labels)) share_.add(sample.share);
  }

  // Every sample has the same number of predictions, so the mean over samples equals the mean over predictions.
  std::optional<std::vector<SampleScore>> sample_scores(const std::vector<Tensor>& outputs,
                                                        const std::vector<Tensor>& labels) const override {
    std::vector<SampleScore> samples;
    for (const Counted& sample : count(outputs, labels))
      samples.push_back({sample.share.value("Accuracy"), sample.margin});
    return samples;
  }

  void merge(const Metric& other) override { share_.add(same_kind<Accuracy>(other, "Accuracy").share_); }
  double result() const override { return share_.value("Accuracy"); }
  std::unique_ptr<Metric> fresh() const override { return std::make_unique<Accuracy>(); }
  bool needs_class_scores() const override { return true; }

 private:
  static std::vector<Counted> count(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) {
    const Scores scores(outputs, labels, "Accuracy");
    std::vector<Counted> samples(labels.size());
    if (scores.rows() == 0) return samples;
    check_class_scores(outputs, "Accuracy");
    const bool is_class = is_integer_type(outputs[0].element_type());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto row = scores.row(i);
      auto& [share, margin] = samples[i];
      if (row.size() == 1) {
        share.count(single_is_right(row[0], is_class, labels[i], i));
        if (!is_class && !std::isnan(row[0])) margin = std::fabs(row[0] - kThreshold) * (share.right == 1 ? 1 : -1);
      } else if (!labels[i].empty() && labels[i].size() == row.size()) {
        share = count_each(row, labels[i]);
      } else {
        const std::size_t label = label_class(labels[i], i, row.size(), "Accuracy");
        share.count(argmax(row) == label);
        margin = margin_of(row, label);
      }
    }
    return samples;
  }

  Share share_;
};

}  // namespace

MetricKind accuracy_metric() {
  return {{.name = "Accuracy", .summary = "fraction of correct predictions"},
          [](const Component&) -> std::unique_ptr<Metric> { return std::make_unique<Accuracy>(); }};
}

}  // namespace lpot
