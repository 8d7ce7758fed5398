// The mean over samples of the cosine between the first output and that of the fp32 model. Needs no labels. All values
// of a sample count as one vector. Samples with values that are not finite count as -1.
//
// Models with one vector per token, [count,tokens,size], may pad a sample to another length when it is in another
// batch. Then the tokens that both outputs have are compared.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lpot/metrics/embeddings.h"
#include "lpot/metrics/kinds.h"
#include "lpot/metrics/scores.h"
#include "lpot/metrics/sum.h"

namespace lpot {
namespace {

// The number of values that two outputs for a sample have in common: all, or those of the first tokens.
std::size_t common_values(const Shape& shape, const Tensor& baseline, std::size_t sample) {
  if (!baseline.empty() && element_count(shape) == baseline.size()) return baseline.size();
  const bool has_tokens = shape.size() > 1 && baseline.shape().size() == shape.size() &&
                          std::equal(shape.begin() + 1, shape.end(), baseline.shape().begin() + 1);
  if (!baseline.empty() && has_tokens) return std::min(element_count(shape), baseline.size());
  throw DataError("Cosine", fmt::format("the fp32 output for sample {} of the batch is {}, expected the shape {}",
                                        sample, baseline.empty() ? "missing" : baseline.describe(), to_string(shape)));
}

class Cosine : public Metric {
 public:
  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    const auto samples = sample_scores(outputs, labels);
    Sum batch;
    for (const SampleScore& sample : *samples) batch.add(sample.value);
    sum_.add(batch);
    count_ += samples->size();
  }

  std::optional<std::vector<SampleScore>> sample_scores(const std::vector<Tensor>& outputs,
                                                        const std::vector<Tensor>& labels) const override {
    const Scores scores(outputs, labels, "Cosine");
    std::vector<SampleScore> samples;
    if (labels.empty()) return samples;
    const Shape shape(outputs[0].shape().begin() + 1, outputs[0].shape().end());
    if (scores.columns() < 2)
      throw DataError("Cosine", fmt::format("the first output is {}, expected at least two values for each sample; "
                                            "use MSE with compare_label: false",
                                            outputs[0].describe()));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::size_t common = common_values(shape, labels[i], i);
      const std::vector<double> expected = to_doubles(labels[i]);
      const double value = cosine(scores.row(i).first(common), {expected.data(), common});
      samples.push_back({std::isnan(value) ? -1 : value});
    }
    return samples;
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<Cosine>(other, "Cosine");
    sum_.add(same.sum_);
    count_ += same.count_;
  }

  double result() const override {
    if (count_ == 0) throw DataError("Cosine", "no samples were evaluated; check that the data set is not empty");
    return static_cast<double>(sum_.value() / static_cast<long double>(count_));
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<Cosine>(); }
  bool labels_are_baseline() const override { return true; }

 private:
  Sum sum_;
  std::size_t count_ = 0;
};

}  // namespace

MetricKind cosine_metric() {
  return {
      {.name = "Cosine", .summary = "mean cosine similarity with the embeddings of the fp32 model; needs no labels"},
      [](const Component&) -> std::unique_ptr<Metric> { return std::make_unique<Cosine>(); }};
}

}  // namespace lpot
