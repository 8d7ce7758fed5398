// Whether a model can still meet the goal, while its evaluation is under way.
//
//   Verdict verdict(baseline, {.lowest = 0.9164});
//   verdict.add(position, judgement.value);
//   if (verdict.has_failed()) return;  // whatever the samples to come: the accuracy stays below 0.9164
//
// For metrics that are the mean of a value of 0..1 per sample. Exact: samples to come count as right. With a
// confidence, also when it is as certain as that: samples after `random_from` come in random order, so the gains and
// losses against the fp32 model among those to come are bounded by what was seen of them (hypergeometric distribution,
// the error shared between the looks).
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lpot/metrics/metric.h"

namespace lpot {

// What a metric made of every sample, by position in the loader's order; nothing where it was not evaluated.
using Judgements = std::vector<std::optional<Judgement>>;

struct VerdictOptions {
  double lowest = 0;                      // the lowest accuracy that meets the goal
  std::optional<double> confidence = {};  // 0.999: a verdict may be wrong once in a thousand trials
  std::size_t random_from = 0;            // place in the order of evaluation from which on it is random
  std::size_t at_least = 0;               // samples before there is a verdict
};

class Verdict {
 public:
  // `baseline`: of the fp32 model, complete; must outlive the verdict.
  Verdict(const Judgements& baseline, VerdictOptions);

  void add(std::size_t position, double value);
  bool has_failed();
  std::size_t evaluated() const { return evaluated_; }
  double estimate() const;  // of the accuracy

 private:
  bool has_surely_failed() const;
  bool has_probably_failed();
  double loss_to_come() const;

  const Judgements& baseline_;
  VerdictOptions options_;
  std::vector<std::optional<double>> lost_;  // of the baseline's value, by position
  std::size_t evaluated_ = 0;
  double sum_ = 0;           // of the values
  double baseline_sum_ = 0;  // of the baseline's for the same samples
  double baseline_total_ = 0;
  bool whole_ = true;  // every value is 0 or 1
  struct {
    std::size_t drawn = 0, gains = 0, losses = 0;
  } random_;
  std::size_t next_look_ = 32;
};

// Of `population` things, `drawn` were drawn at random and `hits` of these are of a kind: the most, and the fewest, of
// that kind that the population may have unless something happened that happens with the probability `error` at most.
std::size_t most_hits(std::size_t population, std::size_t drawn, std::size_t hits, double error);
std::size_t fewest_hits(std::size_t population, std::size_t drawn, std::size_t hits, double error);

// In which order to evaluate when the fp32 model and the first int8 model are known: what both got wrong; then what one
// of them got wrong or right by a small margin, the two taking turns, for a first model that fails badly says little of
// a better one. With `random_rest`, only about as many near ones as were wrong come first, and the others follow in an
// order that the seed decides.
struct EvaluationOrder {
  std::vector<std::size_t> positions;
  std::size_t random_from = 0;
};
EvaluationOrder hardest_first(const Judgements& baseline, const Judgements& first, bool random_rest,
                              std::uint64_t seed);

}  // namespace lpot
