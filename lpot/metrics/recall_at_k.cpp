// Retrieval: the nearest neighbors of every embedding among those of the evaluated samples, by the cosine.
//
//   with labels (default)  the share of samples that have one of their k nearest neighbors in their own class. Samples
//                          that are alone in their class cannot be found and do not count.
//   compare_label: false   the mean share of the k nearest neighbors that are the same as for the fp32 model
//
// Neighbors with the same cosine as the k-th count too (embeddings.h). All embeddings are stored, 4 bytes per value,
// and twice when they are compared with the fp32 model. The search runs at the end. Its time grows with the square of
// the number of samples.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "lpot/metrics/embeddings.h"
#include "lpot/metrics/kinds.h"
#include "lpot/metrics/output_kind.h"
#include "lpot/metrics/scores.h"

namespace lpot {
namespace {

constexpr std::size_t kBlock = 64;  // rows whose neighbors are searched at once
constexpr std::string_view kRecall = "RecallAtK";

// The share of the neighbors that both have.
double shared(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::vector<std::uint32_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  const std::size_t most = std::max(a.size(), b.size());
  return most == 0 ? 0 : static_cast<double>(both.size()) / static_cast<double>(most);
}

class RecallAtK : public Metric {
 public:
  RecallAtK(std::size_t k, bool compare_label) : k_(k), compare_label_(compare_label) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    const Scores scores(outputs, labels, kRecall);
    if (labels.empty()) return;
    check_embeddings(outputs, kRecall);
    RecallAtK batch(k_, compare_label_);
    batch.rows_.size = batch.expected_.size = scores.columns();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      batch.rows_.add(scores.row(i));
      batch.add_label(labels[i], i);
    }
    merge(batch);
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<RecallAtK>(other, kRecall);
    if (same.k_ != k_ || same.compare_label_ != compare_label_)
      throw Error(kRecall, "cannot be merged with another k or compare_label");
    if (same.rows_.count() == 0) return;
    if (rows_.count() > 0 && rows_.size != same.rows_.size)
      throw DataError(
          kRecall, fmt::format("the embeddings have {} and {} values, expected one size", rows_.size, same.rows_.size));
    rows_.size = expected_.size = same.rows_.size;
    rows_.add(same.rows_);
    expected_.add(same.expected_);
    labels_.insert(labels_.end(), same.labels_.begin(), same.labels_.end());
  }

  double result() const override {
    if (rows_.count() == 0) throw DataError(kRecall, "no samples were evaluated; check that the data set is not empty");
    if (k_ >= rows_.count())
      throw DataError(kRecall, fmt::format("k is {}, but there are only {} samples; expected at least {}. Use a "
                                           "smaller k or more samples",
                                           k_, rows_.count(), k_ + 1));
    return compare_label_ ? found_share() : agreement();
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<RecallAtK>(k_, compare_label_); }
  bool labels_are_baseline() const override { return !compare_label_; }
  bool needs_all_samples() const override { return true; }

 private:
  void add_label(const Tensor& label, std::size_t sample) {
    if (compare_label_) {
      labels_.push_back(label_number(label, sample, kRecall));
      return;
    }
    if (label.empty() || label.size() != rows_.size)
      throw DataError(kRecall, fmt::format("the fp32 output for sample {} of the batch is {}, expected {} values",
                                           sample, label.empty() ? "missing" : label.describe(), rows_.size));
    expected_.add(to_doubles(label));
  }

  template <typename Function>
  void for_each_block(const Function& function) const {
    for (std::size_t first = 0; first < rows_.count(); first += kBlock)
      function(RowRange{first, std::min(kBlock, rows_.count() - first)});
  }

  double found_share() const {
    std::map<std::int64_t, std::size_t> sizes;
    for (const std::int64_t label : labels_) ++sizes[label];
    Share share;
    for_each_block([&](RowRange range) {
      const auto near = neighbors(rows_, range, k_);
      for (std::size_t i = 0; i < near.size(); ++i) {
        const std::int64_t own = labels_[range.first + i];
        if (sizes[own] > 1)
          share.count(std::any_of(near[i].begin(), near[i].end(), [&](auto j) { return labels_[j] == own; }));
      }
    });
    if (share.total == 0)
      throw DataError(kRecall, fmt::format("no two of the {} samples have the same class; expected several samples "
                                           "per class, or use compare_label: false",
                                           labels_.size()));
    return share.value(kRecall);
  }

  // The shares are added in sorted order, so that the order of the samples has no effect.
  double agreement() const {
    std::map<double, std::size_t> counts;
    for_each_block([&](RowRange range) {
      const auto near = neighbors(rows_, range, k_), expected = neighbors(expected_, range, k_);
      for (std::size_t i = 0; i < near.size(); ++i) ++counts[shared(near[i], expected[i])];
    });
    long double sum = 0;
    for (const auto& [value, count] : counts) sum += static_cast<long double>(value) * static_cast<long double>(count);
    return static_cast<double>(sum / static_cast<long double>(rows_.count()));
  }

  std::size_t k_;
  bool compare_label_;
  EmbeddingRows rows_, expected_;  // expected_: of the fp32 model, without compare_label
  std::vector<std::int64_t> labels_;
};

std::unique_ptr<Metric> make_recall_at_k(const Component& component) {
  const std::int64_t k = component.parameters.integer("k");
  if (k < 1) throw config_error(component, fmt::format("k: expected 1 or more, got {}", k));
  return std::make_unique<RecallAtK>(static_cast<std::size_t>(k), component.parameters.flag("compare_label"));
}

}  // namespace

MetricKind recall_at_k_metric() {
  return {
      {.name = std::string(kRecall),
       .summary = "share of samples with a sample of the same class among their k nearest neighbors",
       .parameters =
           {{.name = "k", .kind = ValueKind::Integer, .default_value = "1", .summary = "number of nearest neighbors"},
            {.name = "compare_label",
             .kind = ValueKind::Flag,
             .default_value = "true",
             .summary = "compare classes; false: the share of the k nearest neighbors that are the same "
                        "as for the fp32 model, which needs no labels"}},
       .shorthand = "k"},
      make_recall_at_k};
}

}  // namespace lpot
