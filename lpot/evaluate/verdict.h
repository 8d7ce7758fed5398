// Decides during an evaluation whether a model can still meet the goal.
//
//   Verdict verdict(baseline, {.lowest = 0.9164});
//   verdict.add(position, score.value);
//   if (verdict.has_failed()) return;  // whatever the samples to come: the accuracy stays below 0.9164
//
// For metrics that are the mean of a value in 0..1 per sample. Without a confidence the verdict is exact: all remaining
// samples count as right. With a confidence, the model also fails when failure is that certain. The samples after
// `random_from` come in random order. So the gains and losses against the fp32 model among the remaining samples are
// bounded by those already seen (hypergeometric distribution; the error probability is divided among the checks).
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lpot/metrics/metric.h"

namespace lpot {

// The score of a metric for each sample, by position in the loader's order; empty if not evaluated.
using SampleScores = std::vector<std::optional<SampleScore>>;

struct VerdictOptions {
  double lowest = 0;                      // the lowest accuracy that meets the goal
  std::optional<double> confidence = {};  // 0.999: a verdict may be wrong in one of a thousand trials
  std::size_t random_from = 0;            // index in the order of evaluation at which random order starts
  std::size_t at_least = 0;               // number of samples before the first verdict
  // The first `at_least` samples are a random sample (evaluate/loss_sample.h). By position: the probability that it
  // contains the position, and the rank of the position in the order in which the other samples follow. Empty: no
  // random sample.
  std::vector<double> probabilities = {};
  std::vector<std::size_t> ranks = {};
};

class Verdict {
 public:
  // `baseline`: the complete sample scores of the fp32 model; must outlive this object.
  Verdict(const SampleScores& baseline, VerdictOptions);

  const VerdictOptions& options() const { return options_; }
  void add(std::size_t position, double value);
  bool has_failed();
  std::size_t evaluated() const { return evaluated_; }
  // An unbiased estimate of the accuracy. Samples that follow in a fixed order count once. The members of the random
  // sample beyond them represent the samples that were not reached, each with the inverse of its probability.
  double estimate() const;

 private:
  bool has_certainly_failed() const;
  bool has_probably_failed();
  double estimated_change() const;

  const SampleScores& baseline_;
  VerdictOptions options_;
  std::vector<std::optional<double>> lost_;  // loss against the baseline, by position
  std::size_t reached_rank_ = 0;             // the samples with lower ranks are evaluated
  std::size_t evaluated_ = 0;
  double sum_ = 0;           // of the values
  double baseline_sum_ = 0;  // of the baseline's values for the same samples
  double baseline_total_ = 0;
  bool is_binary_ = true;  // every value is 0 or 1
  struct {
    std::size_t drawn = 0, gains = 0, losses = 0;
  } random_;
  std::size_t next_check_ = 32;
};

// From a population, `drawn` items were drawn at random, and `hits` of them are of a certain kind. Returns the maximum
// and minimum number of items of that kind in the population, each wrong with probability `error` at most.
std::size_t max_hits(std::size_t population, std::size_t drawn, std::size_t hits, double error);
std::size_t min_hits(std::size_t population, std::size_t drawn, std::size_t hits, double error);

// The order of evaluation, given the sample scores of the fp32 model and of the first int8 model. The first int8 model
// may lack scores: the fp32 model's replace them. First the samples that both got wrong. Then the samples that one of
// them got wrong or right by a small margin, alternating between the two models, because a first model that fails badly
// says little about better ones. With `random_rest`, only about as many hard samples as were wrong come first; the
// others follow in an order that depends on the seed.
struct EvaluationOrder {
  std::vector<std::size_t> positions;
  std::size_t random_from = 0;
};
EvaluationOrder hardest_first(const SampleScores& baseline, SampleScores first, bool random_rest, std::uint64_t seed);

}  // namespace lpot
