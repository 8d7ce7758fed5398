// Semantic textual similarity: the correlation between the cosine of two embeddings and the labelled similarity of the
// two texts, over all pairs. Spearman's by default, as in SentEval and MTEB.
//
// Every sample is one text. Its label has two numbers: the number of its pair, and the similarity of the pair. The data
// sets GLUE and text write such labels with `pairs: separate`. The order of the samples does not matter.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "lpot/metrics/correlation.h"
#include "lpot/metrics/embeddings.h"
#include "lpot/metrics/kinds.h"
#include "lpot/metrics/output_kind.h"
#include "lpot/metrics/scores.h"

namespace lpot {
namespace {

struct TextPair {
  double similarity = 0;              // the label
  std::vector<double> waiting = {};   // the embedding of the only text so far; empty: the pair is complete
  std::optional<double> cosine = {};  // of a complete pair
};

struct PairLabel {
  std::int64_t pair = 0;
  double similarity = 0;
};

PairLabel pair_label(const Tensor& label, std::size_t sample) {
  const auto error = [&](const std::string& found) {
    return DataError("STS", fmt::format("the label of sample {} of the batch is {}; expected two numbers: the number "
                                        "of the pair and its similarity. Use the data set GLUE or text with "
                                        "pairs: separate",
                                        sample, found));
  };
  if (label.empty()) throw error("missing");
  if (label.size() != 2) throw error(label.describe());
  const double pair = label.value_at(0), similarity = label.value_at(1);
  if (!(pair >= 0 && pair < 0x1p53) || pair != std::floor(pair) || !std::isfinite(similarity))
    throw error(fmt::format("[{}, {}]", pair, similarity));
  return {static_cast<std::int64_t>(pair), similarity};
}

class Sts : public Metric {
 public:
  explicit Sts(std::string measure) : measure_(std::move(measure)) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    const Scores scores(outputs, labels, "STS");
    if (labels.empty()) return;
    check_embeddings(outputs, "STS");
    Sts batch(measure_);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const PairLabel label = pair_label(labels[i], i);
      batch.add(label.pair, {label.similarity, {scores.row(i).begin(), scores.row(i).end()}});
    }
    merge(batch);
  }

  // All pairs are checked first, so that a rejected batch has no effect.
  void merge(const Metric& other) override {
    const auto& same = same_kind<Sts>(other, "STS");
    if (same.measure_ != measure_)
      throw Error("STS", fmt::format("{} cannot be merged with {}", measure_, same.measure_));
    for (const auto& [number, pair] : same.pairs_)
      if (const auto found = pairs_.find(number); found != pairs_.end()) joined(number, found->second, pair);
    for (const auto& [number, pair] : same.pairs_) add(number, pair);
  }

  double result() const override {
    if (pairs_.empty()) throw DataError("STS", "no samples were evaluated; check that the data set is not empty");
    Pairs values;
    for (const auto& [number, pair] : pairs_) {
      if (!pair.cosine)
        throw DataError("STS", fmt::format("pair {} has only one text; expected two samples for each pair. Check "
                                           "dataloader.subset and iteration, which may cut a pair",
                                           number));
      values.emplace_back(*pair.cosine, pair.similarity);
    }
    if (measure_ == "pearson") return pearson(values);
    if (measure_ == "spearman") return spearman(values);
    return (pearson(values) + spearman(values)) / 2;
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<Sts>(measure_); }
  bool needs_all_samples() const override { return true; }

 private:
  static TextPair joined(std::int64_t number, const TextPair& a, const TextPair& b) {
    if (a.cosine || b.cosine)
      throw DataError("STS",
                      fmt::format("pair {} has more than two texts; expected two samples for each pair", number));
    if (a.similarity != b.similarity)
      throw DataError("STS", fmt::format("the texts of pair {} have the labels {} and {}, expected the same", number,
                                         a.similarity, b.similarity));
    if (a.waiting.size() != b.waiting.size())
      throw DataError("STS", fmt::format("the embeddings of pair {} have {} and {} values, expected the same size",
                                         number, a.waiting.size(), b.waiting.size()));
    return {a.similarity, {}, cosine(a.waiting, b.waiting)};
  }

  void add(std::int64_t number, TextPair pair) {
    const auto [found, is_new] = pairs_.try_emplace(number, pair);
    if (!is_new) found->second = joined(number, found->second, pair);
  }

  std::string measure_;
  std::map<std::int64_t, TextPair> pairs_;
};

std::unique_ptr<Metric> make_sts(const Component& component) {
  const std::string& measure = component.parameters.text("measure");
  if (measure != "spearman" && measure != "pearson" && measure != "corr")
    throw config_error(component, fmt::format("measure: expected spearman, pearson or corr, got '{}'", measure));
  return std::make_unique<Sts>(measure);
}

}  // namespace

MetricKind sts_metric() {
  return {{.name = "STS",
           .summary = "correlation of the cosine of text pairs with their labelled similarity, for sentence embeddings",
           .parameters = {{.name = "measure",
                           .default_value = "spearman",
                           .summary = "spearman, pearson, or corr for the mean of both",
                           .choices = {"spearman", "pearson", "corr"}}},
           .shorthand = "measure"},
          make_sts};
}

}  // namespace lpot
