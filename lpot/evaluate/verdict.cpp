#include "lpot/evaluate/verdict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "lpot/core/random.h"

namespace lpot {
namespace {

constexpr double kMaxChecks = 32;  // one at each doubling of the samples, so no data set needs more

double log_choose(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t value) { return std::lgamma(static_cast<double>(value) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

// The probability of at most `hits` hits in `drawn` draws without replacement from a population with `all_hits` hits.
double probability_at_most(std::size_t hits, std::size_t population, std::size_t drawn, std::size_t all_hits) {
  double sum = 0;
  const std::size_t fewest = drawn + all_hits > population ? drawn + all_hits - population : 0;
  for (std::size_t k = fewest; k <= std::min({hits, drawn, all_hits}); ++k)
    sum += std::exp(log_choose(all_hits, k) + log_choose(population - all_hits, drawn - k) -
                    log_choose(population, drawn));
  return std::min(1.0, sum);
}

bool is_wrong(const std::optional<SampleScore>& score) { return score && score->value < 1; }

std::size_t count_wrong(const SampleScores& sample_scores) {
  return static_cast<std::size_t>(std::count_if(sample_scores.begin(), sample_scores.end(), is_wrong));
}

// Sorts samples from the hardest to the easiest: -1 for a wrong answer, else the margin.
double hardness(const std::optional<SampleScore>& score) { return is_wrong(score) ? -1 : score->margin; }

// The rank of each position when samples are sorted by hardness for one model, and among equals for another.
std::vector<std::size_t> hardness_ranks(const SampleScores& by, const SampleScores& then) {
  std::vector<std::size_t> positions(by.size()), ranks(by.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  std::stable_sort(positions.begin(), positions.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(hardness(by[a]), hardness(then[a])) < std::pair(hardness(by[b]), hardness(then[b]));
  });
  for (std::size_t rank = 0; rank < positions.size(); ++rank) ranks[positions[rank]] = rank;
  return ranks;
}

}  // namespace

std::size_t max_hits(std::size_t population, std::size_t drawn, std::size_t hits, double error) {
  // The more items of the kind exist, the less probable are few hits. So bisection finds the largest number that is
  // still probable.
  std::size_t possible = hits, impossible = population - (drawn - hits) + 1;
  while (impossible - possible > 1) {
    const std::size_t middle = possible + (impossible - possible) / 2;
    (probability_at_most(hits, population, drawn, middle) >= error ? possible : impossible) = middle;
  }
  return possible;
}

std::size_t min_hits(std::size_t population, std::size_t drawn, std::size_t hits, double error) {
  return population - max_hits(population, drawn, drawn - hits, error);
}

Verdict::Verdict(const SampleScores& baseline, VerdictOptions options)
    : baseline_(baseline), options_(std::move(options)), lost_(baseline.size()) {
  for (const auto& score : baseline_) {
    baseline_total_ += score->value;
    is_binary_ = is_binary_ && (score->value == 0 || score->value == 1);
  }
}

void Verdict::add(std::size_t position, double value) {
  const double before = baseline_.at(position)->value;
  if (evaluated() >= options_.random_from) {
    ++random_.drawn;
    random_.gains += value > before;
    random_.losses += value < before;
  }
  is_binary_ = is_binary_ && (value == 0 || value == 1);
  sum_ += value;
  baseline_sum_ += before;
  lost_[position] = before - value;
  if (!options_.ranks.empty() && evaluated_ >= options_.at_least)
    reached_rank_ = std::max(reached_rank_, options_.ranks[position] + 1);
  ++evaluated_;
}

// The change of the sum of all values against the baseline.
double Verdict::estimated_change() const {
  double change = 0;
  // Of the samples that represent others: their number, and the losses and counts of the samples that they represent.
  double representatives = 0, represented_loss = 0, represented = 0;
  for (std::size_t i = 0; i < lost_.size(); ++i) {
    if (!lost_[i]) continue;
    change -= *lost_[i];
    if (random_.drawn > 0 || options_.ranks.empty() || options_.ranks[i] < reached_rank_) continue;
    ++representatives;
    represented_loss += *lost_[i] / options_.probabilities[i];
    represented += 1 / options_.probabilities[i];
  }
  const auto remaining = static_cast<double>(baseline_.size() - evaluated());
  if (random_.drawn > 0) {  // the remaining samples are like those that were drawn
    const double net = static_cast<double>(random_.gains) - static_cast<double>(random_.losses);
    change += net / static_cast<double>(random_.drawn) * remaining;
  } else if (representatives > 0) {
    // The number of samples that were not reached is known, so only their mean loss is estimated.
    change -= represented_loss / represented * remaining;
  }
  return change;
}

double Verdict::estimate() const {
  return std::clamp((baseline_total_ + estimated_change()) / static_cast<double>(baseline_.size()), 0.0, 1.0);
}

bool Verdict::has_certainly_failed() const {
  const auto remaining = static_cast<double>(baseline_.size() - evaluated());
  return (sum_ + remaining) / static_cast<double>(baseline_.size()) < options_.lowest;
}

bool Verdict::has_probably_failed() {
  if (!options_.confidence || !is_binary_ || random_.drawn < next_check_) return false;
  while (next_check_ <= random_.drawn) next_check_ *= 2;
  const double error = (1 - *options_.confidence) / kMaxChecks / 2;
  const std::size_t population = baseline_.size() - options_.random_from;
  const std::size_t gains = max_hits(population, random_.drawn, random_.gains, error) - random_.gains;
  const std::size_t losses = min_hits(population, random_.drawn, random_.losses, error) - random_.losses;
  const double highest =
      sum_ + baseline_total_ - baseline_sum_ + static_cast<double>(gains) - static_cast<double>(losses);
  return highest / static_cast<double>(baseline_.size()) < options_.lowest;
}

bool Verdict::has_failed() {
  return evaluated() >= options_.at_least && (has_certainly_failed() || has_probably_failed());
}

EvaluationOrder hardest_first(const SampleScores& baseline, SampleScores first, bool random_rest, std::uint64_t seed) {
  for (std::size_t i = 0; i < first.size(); ++i)
    if (!first[i]) first[i] = baseline[i];
  const std::vector<std::size_t> by_baseline = hardness_ranks(baseline, first),
                                 by_first = hardness_ranks(first, baseline);
  const auto key = [&](std::size_t position) {
    const bool both_wrong = is_wrong(baseline[position]) && is_wrong(first[position]);
    return std::pair(!both_wrong, std::min(by_baseline[position], by_first[position]));
  };
  EvaluationOrder order;
  order.positions.resize(first.size());
  std::iota(order.positions.begin(), order.positions.end(), std::size_t{0});
  std::stable_sort(order.positions.begin(), order.positions.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  order.random_from = first.size();
  if (!random_rest) return order;
  const std::size_t of_baseline = count_wrong(baseline), of_first = count_wrong(first);
  const std::size_t wrong = of_first == 0 ? of_baseline : std::min(of_baseline, of_first);
  const std::size_t near = std::min(2 * wrong, first.size());
  order.random_from = near;
  const std::vector<std::size_t> rest(order.positions.begin() + static_cast<std::ptrdiff_t>(near),
                                      order.positions.end());
  const std::vector<std::size_t> drawn = shuffled(rest.size(), seed);
  for (std::size_t i = 0; i < rest.size(); ++i) order.positions[near + i] = rest[drawn[i]];
  return order;
}

}  // namespace lpot
