#include "lpot/evaluate/loss_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lpot/core/random.h"

namespace lpot {
namespace {

// The samples with the smallest margins are drawn with up to 1 / kLeastRank times the weight of those with the largest.
constexpr double kLeastRank = 0.02;

// The rank of each margin, as a share of all samples: 0 for the smallest, 1 for the largest. Equal margins have equal
// ranks, so that samples with unknown margins are drawn with equal probability.
std::vector<double> margin_ranks(const SampleScores& scores) {
  std::vector<double> margins;
  for (const auto& score : scores) margins.push_back(std::fabs(score->margin));
  std::vector<double> sorted = margins;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> ranks;
  for (const double margin : margins) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), margin);
    ranks.push_back(static_cast<double>((first - sorted.begin()) + (last - sorted.begin())) / 2 /
                    static_cast<double>(sorted.size()));
  }
  return ranks;
}

// Whether nearly all margins are known and every sample is right or wrong.
bool has_margins(const SampleScores& scores) {
  std::size_t known = 0;
  for (const auto& score : scores) {
    if (score->value != 0 && score->value != 1) return false;
    known += score->margin != 0 && std::isfinite(score->margin);
  }
  return 10 * known >= 9 * scores.size();
}

struct PredictedChange {
  double mean = 0;     // of accuracy
  double changed = 0;  // expected share of the samples whose value changes
};

// The change if the noise of the drawn margins is added to the margins of all samples.
PredictedChange predicted_change(const SampleScores& baseline, std::vector<double> noise) {
  std::sort(noise.begin(), noise.end());
  PredictedChange change;
  for (const auto& score : baseline) {
    const auto first_right = std::upper_bound(noise.begin(), noise.end(), -score->margin);
    const double share_right = static_cast<double>(noise.end() - first_right) / static_cast<double>(noise.size());
    change.mean += share_right - score->value;
    change.changed += std::fabs(share_right - score->value);
  }
  const auto size = static_cast<double>(baseline.size());
  return {change.mean / size, change.changed / size};
}

}  // namespace

LossSample::LossSample(const SampleScores& baseline, std::uint64_t seed) : baseline_(baseline) {
  const std::vector<double> ranks = margin_ranks(baseline);
  for (std::size_t i = 0; i < baseline.size(); ++i) {
    weights_.push_back(1 / (kLeastRank + ranks[i]));
    keys_.push_back(unit_interval(mix(mix(seed) ^ i)) / weights_.back());
  }
  order_.resize(baseline.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return keys_[a] < keys_[b]; });
}

std::vector<std::size_t> LossSample::positions(std::size_t count) const {
  return {order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(std::min(count, order_.size()))};
}

std::vector<double> LossSample::probabilities(std::size_t count) const {
  std::vector<double> probabilities(weights_.size(), 1);
  if (count >= order_.size()) return probabilities;
  const double threshold = keys_[order_[count]];
  for (std::size_t i = 0; i < weights_.size(); ++i) probabilities[i] = std::min(1.0, weights_[i] * threshold);
  return probabilities;
}

LossEstimate LossSample::estimate(const SampleScores& candidate, std::size_t count) const {
  const std::vector<double> probability = probabilities(count);
  const auto size = static_cast<double>(baseline_.size());
  const std::vector<std::size_t> drawn = positions(count);
  double counted = 0, variance = 0, squares = 0;
  std::vector<double> noise;  // without samples whose margin is infinite: their noise is unknown
  for (const std::size_t i : drawn) {
    const double change = candidate[i]->value - baseline_[i]->value;
    counted += change / probability[i] / size;
    squares += change * change / probability[i] / size;
    variance += (1 - probability[i]) * std::pow(change / probability[i] / size, 2);
    const double difference = candidate[i]->margin - baseline_[i]->margin;
    if (std::isfinite(baseline_[i]->margin) && !std::isnan(difference)) noise.push_back(difference);
  }
  // Even if no drawn sample changed, one that was not drawn may change.
  const double share = static_cast<double>(drawn.size()) / size;
  const double deviation = share < 1 ? std::max(std::sqrt(variance), 1 / size) : 0;
  // Values change independently of each other, so the variance of their sum is the number of changes.
  const auto spread_of = [&](double changed) { return std::sqrt(std::max(changed, 1 / size) / size); };
  if (!has_margins(baseline_) || noise.empty())
    return {-counted, deviation, drawn.size(), drawn.size(), spread_of(squares)};
  const double weight = std::sqrt(share);
  const PredictedChange predicted = predicted_change(baseline_, std::move(noise));
  // The predicted change varies about half as much as the counted one in the validation above.
  return {-(weight * counted + (1 - weight) * predicted.mean), deviation * (1 + weight) / 2, drawn.size(), drawn.size(),
          spread_of(weight * squares + (1 - weight) * predicted.changed)};
}

}  // namespace lpot
