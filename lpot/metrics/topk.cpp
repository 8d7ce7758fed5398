// The fraction of samples whose label is among the k highest scores. Of equal scores, the lower class ranks higher, so
// that the result does not depend on a sort. Rows with NaN are never correct.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lpot/metrics/kinds.h"
#include "lpot/metrics/output_kind.h"
#include "lpot/metrics/scores.h"

namespace lpot {
namespace {

bool among_highest(std::span<const double> scores, std::size_t label, std::size_t k) {
  if (std::any_of(scores.begin(), scores.end(), [](double score) { return std::isnan(score); })) return false;
  std::size_t ahead = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (scores[i] > scores[label] || (scores[i] == scores[label] && i < label)) ++ahead;
  return ahead < k;
}

class TopK : public Metric {
 public:
  explicit TopK(std::size_t k) : k_(k) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    // All samples are checked first, so that a rejected batch has no effect.
    const auto samples = sample_scores(outputs, labels);
    for (const SampleScore& sample : *samples) share_.count(sample.value == 1);
  }

  std::optional<std::vector<SampleScore>> sample_scores(const std::vector<Tensor>& outputs,
                                                        const std::vector<Tensor>& labels) const override {
    const Scores scores(outputs, labels, "topk");
    std::vector<SampleScore> samples;
    if (scores.rows() == 0) return samples;
    check_class_scores(outputs, "topk");
    if (k_ > scores.columns())
      throw DataError("topk", fmt::format("k is {}, but the first output has only {} classes; use a smaller k", k_,
                                          scores.columns()));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto row = scores.row(i);
      const std::size_t label = label_class(labels[i], i, scores.columns(), "topk");
      samples.push_back({among_highest(row, label, k_) ? 1.0 : 0.0, margin_of(row, label, k_)});
    }
    return samples;
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<TopK>(other, "topk");
    if (same.k_ != k_) throw Error("topk", fmt::format("top {} cannot be merged with top {}", k_, same.k_));
    share_.add(same.share_);
  }

  double result() const override { return share_.value("topk"); }
  std::unique_ptr<Metric> fresh() const override { return std::make_unique<TopK>(k_); }
  bool needs_class_scores() const override { return true; }

 private:
  std::size_t k_;
  Share share_;
};

std::unique_ptr<Metric> make_topk(const Component& component) {
  const std::int64_t k = component.parameters.integer("k");
  if (k < 1) throw ConfigError("topk", fmt::format("k: expected 1 or more, got {}", k));
  return std::make_unique<TopK>(static_cast<std::size_t>(k));
}

}  // namespace

MetricKind topk_metric() {
  return {{.name = "topk",
           .summary = "fraction of samples whose label is among the k highest scores",
           .parameters = {{.name = "k", .kind = ValueKind::Integer, .default_value = "1", .summary = "usually 1 or 5"}},
           .shorthand = "k"},
          make_topk};
}

}  // namespace lpot
