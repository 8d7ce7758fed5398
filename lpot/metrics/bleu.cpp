// BLEU-4 of a corpus, 0..1, over token ids.
//
// Papineni et al., BLEU: a Method for Automatic Evaluation of Machine Translation, 2002; one reference per translation.
// The smoothing is that of LPOT (and tensor2tensor): an order without a match counts as one half, one quarter, ... of a
// match, and an order that is longer than all translations is ignored. LPOT splits text into words and returns 0..100.
// Here, the first output [count,length] and the label [length] contain token ids. Ids of 0 and below are padding.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "lpot/metrics/kinds.h"
#include "lpot/metrics/scores.h"

namespace lpot {
namespace {

constexpr std::size_t kOrders = 4;
using Tokens = std::vector<std::int64_t>;

Tokens tokens_of(std::span<const double> values, std::string_view what, std::size_t sample) {
  Tokens tokens;
  for (const double value : values) {
    if (!(std::fabs(value) < 0x1p53) || value != std::floor(value))
      throw DataError("BLEU",
                      fmt::format("{} of sample {} of the batch contains {}, expected token ids", what, sample, value));
    if (value > 0) tokens.push_back(static_cast<std::int64_t>(value));
  }
  return tokens;
}

std::map<Tokens, std::int64_t> grams_of(const Tokens& tokens, std::size_t order) {
  std::map<Tokens, std::int64_t> grams;
  for (std::size_t i = 0; i + order <= tokens.size(); ++i)
    ++grams[{tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.begin() + static_cast<std::ptrdiff_t>(i + order)}];
  return grams;
}

struct Counts {
  std::array<std::int64_t, kOrders> matches{}, possible{};
  std::int64_t translated = 0, expected = 0;  // lengths

  void count(const Tokens& translation, const Tokens& reference) {
    translated += static_cast<std::int64_t>(translation.size());
    expected += static_cast<std::int64_t>(reference.size());
    for (std::size_t order = 1; order <= kOrders; ++order) {
      const auto wanted = grams_of(reference, order);
      for (const auto& [gram, times] : grams_of(translation, order)) {
        possible[order - 1] += times;
        if (const auto found = wanted.find(gram); found != wanted.end())
          matches[order - 1] += std::min(times, found->second);
      }
    }
  }

  void add(const Counts& other) {
    for (std::size_t i = 0; i < kOrders; ++i) {
      matches[i] += other.matches[i];
      possible[i] += other.possible[i];
    }
    translated += other.translated;
    expected += other.expected;
  }

  double value() const {
    double logs = 0, smooth = 1;
    if (translated == 0) return 0;
    for (std::size_t i = 0; i < kOrders; ++i) {
      if (possible[i] == 0) continue;
      if (matches[i] == 0) smooth *= 2;
      const double matched = matches[i] > 0 ? static_cast<double>(matches[i]) : 1 / smooth;
      logs += std::log(matched / static_cast<double>(possible[i]));
    }
    const double shortness = std::min(0.0, 1 - static_cast<double>(expected) / static_cast<double>(translated));
    return std::exp(logs / kOrders + shortness);
  }
};

class Bleu : public Metric {
 public:
  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    const Scores rows(outputs, labels, "BLEU");
    Counts batch;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i].empty())
        throw DataError("BLEU",
                        fmt::format("sample {} of the batch has no label, expected the token ids of the reference", i));
      batch.count(tokens_of(rows.row(i), "the first output", i), tokens_of(to_doubles(labels[i]), "the label", i));
    }
    counts_.add(batch);
  }

  void merge(const Metric& other) override { counts_.add(same_kind<Bleu>(other, "BLEU").counts_); }
  double result() const override {
    if (counts_.expected == 0)
      throw DataError("BLEU", "the references have no tokens; check that the data set is not empty");
    return counts_.value();
  }
  std::unique_ptr<Metric> fresh() const override { return std::make_unique<Bleu>(); }

 private:
  Counts counts_;
};

}  // namespace

MetricKind bleu_metric() {
  return {{.name = "BLEU", .summary = "similarity of translations to one reference each, both as token ids, 0..1"},
          [](const Component&) -> std::unique_ptr<Metric> { return std::make_unique<Bleu>(); }};
}

}  // namespace lpot
