// Estimates the accuracy of a model from a few samples.
//
//   LossSample sample(baseline, 1978);   // 1978: the seed of the draw
//   std::vector<std::size_t> positions = sample.positions(200);   // evaluate the candidate on these
//   LossEstimate estimate = sample.estimate(candidate, 200);
//   estimate.loss;   // of accuracy against the fp32 model; estimate.error is its standard error
//
// Quantization changes the answer mostly for samples that fp32 decides by a small margin. So these samples are drawn
// with a higher probability (priority sampling: Duffield, Lund, Thorup 2007), and each counts with the inverse of its
// probability. Two estimates are combined:
// - The counted change: gains and losses of the drawn samples, divided by their probabilities. It is unbiased, but one
//   sample changes it by a lot.
// - The predicted change: the noise of the margins of the drawn samples, applied to the margins of all samples. It
//   varies less, but assumes that the noise does not depend on the margin.
// The weight of the counted change is the square root of the drawn share, so it decides when all samples are drawn.
//
// Validation: rank correlation (Spearman) with the exact accuracy, over the 60 whole-model plans of the search space
// (four range estimators and a mixed one, symmetric and asymmetric activations, two weight ranges, three combinations
// of recipes). "few" and "more" are the estimates of this file, "distance" is the mean distance of the outputs from
// fp32. The error is the root mean square error of the estimate with more samples, in points of accuracy; the last
// column is the range of the exact accuracies. `bench_ranking` (benchmarks/ranking.cpp) measures it.
//
// |                      samples   few    more   distance  error  accuracies
// | MobileNetV2          53, 106   0.69   0.75   0.27      0.48   69.3 to 72.1
// | EfficientNet-Lite0   53, 106   0.64   0.59   0.23      0.75   65.2 to 67.1
// | quick start          256, 512  0.42   0.69   0.56      0.14   90.9 to 92.1
// | ResNet-20            256, 512  0.15   0.46   0.23      0.06   91.2 to 91.5
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lpot/evaluate/verdict.h"

namespace lpot {

struct LossEstimate {
  double loss = 0;          // of accuracy against the baseline, positive: worse
  double error = 0;         // standard error of the loss
  std::size_t samples = 0;  // evaluated for this estimate
  // The estimate is computed from this number of samples. Some of them may have been evaluated for an earlier estimate.
  std::size_t used_samples = 0;
  // The standard deviation of the loss over models that change as many answers, but others; unset: unknown.
  std::optional<double> spread = {};
};

class LossSample {
 public:
  // `baseline`: the complete sample scores of the fp32 model; must outlive this object.
  LossSample(const SampleScores& baseline, std::uint64_t seed);

  // The first `count` drawn positions. A larger count adds positions and keeps the others.
  std::vector<std::size_t> positions(std::size_t count) const;
  // By position: the probability that it is among the first `count`.
  std::vector<double> probabilities(std::size_t count) const;
  // `candidate` has scores for the first `count` positions.
  LossEstimate estimate(const SampleScores& candidate, std::size_t count) const;

 private:
  const SampleScores& baseline_;
  std::vector<double> weights_, keys_;  // by position
  std::vector<std::size_t> order_;      // by key, ascending
};

}  // namespace lpot
