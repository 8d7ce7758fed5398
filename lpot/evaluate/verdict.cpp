#include "lpot/evaluate/verdict.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lpot/data/random.h"

namespace lpot {
namespace {

constexpr double kMostLooks = 32;  // at each doubling of the samples, so no data set needs more

double log_choose(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t value) { return std::lgamma(static_cast<double>(value) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

// The probability of at most `hits` hits in `drawn` draws without putting back, when the population has `kind` of them.
double at_most(std::size_t hits, std::size_t population, std::size_t drawn, std::size_t kind) {
  double sum = 0;
  const std::size_t fewest = drawn + kind > population ? drawn + kind - population : 0;
  for (std::size_t k = fewest; k <= std::min({hits, drawn, kind}); ++k)
    sum += std::exp(log_choose(kind, k) + log_choose(population - kind, drawn - k) - log_choose(population, drawn));
  return std::min(1.0, sum);
}

}  // namespace

std::size_t most_hits(std::size_t population, std::size_t drawn, std::size_t hits, double error) {
  // More of the kind make few hits less probable, so the largest that is still probable is found by bisection.
  std::size_t possible = hits, impossible = population - (drawn - hits) + 1;
  while (impossible - possible > 1) {
    const std::size_t middle = possible + (impossible - possible) / 2;
    (at_most(hits, population, drawn, middle) >= error ? possible : impossible) = middle;
  }
  return possible;
}

std::size_t fewest_hits(std::size_t population, std::size_t drawn, std::size_t hits, double error) {
  return population - most_hits(population, drawn, drawn - hits, error);
}

Verdict::Verdict(const Judgements& baseline, const Judgements& first, VerdictOptions options)
    : baseline_(baseline), first_(first), options_(options) {
  for (std::size_t i = 0; i < baseline_.size(); ++i) {
    const double value = baseline_[i]->value;
    baseline_total_ += value;
    whole_ = whole_ && (value == 0 || value == 1);
    if (!first_.empty() && first_[i]) first_total_loss_ += value - first_[i]->value;
  }
}

void Verdict::add(std::size_t position, double value) {
  const double before = baseline_.at(position)->value;
  if (evaluated_ >= options_.random_from) {
    ++random_.drawn;
    random_.gains += value > before;
    random_.losses += value < before;
  }
  whole_ = whole_ && (value == 0 || value == 1);
  ++evaluated_;
  sum_ += value;
  baseline_sum_ += before;
  if (!first_.empty() && first_[position]) first_loss_ += before - first_[position]->value;
}

double Verdict::estimate() const {
  double loss = baseline_sum_ - sum_;
  if (first_loss_ > 0 && first_total_loss_ > first_loss_) loss *= first_total_loss_ / first_loss_;
  return std::max(sum_, baseline_total_ - loss) / static_cast<double>(baseline_.size());
}

bool Verdict::has_surely_failed() const {
  const auto to_come = static_cast<double>(baseline_.size() - evaluated_);
  return (sum_ + to_come) / static_cast<double>(baseline_.size()) < options_.lowest;
}

bool Verdict::has_probably_failed() {
  if (!options_.confidence || !whole_ || random_.drawn < next_look_) return false;
  while (next_look_ <= random_.drawn) next_look_ *= 2;
  const double error = (1 - *options_.confidence) / kMostLooks / 2;
  const std::size_t population = baseline_.size() - options_.random_from;
  const std::size_t gains = most_hits(population, random_.drawn, random_.gains, error) - random_.gains;
  const std::size_t losses = fewest_hits(population, random_.drawn, random_.losses, error) - random_.losses;
  const double highest =
      sum_ + baseline_total_ - baseline_sum_ + static_cast<double>(gains) - static_cast<double>(losses);
  return highest / static_cast<double>(baseline_.size()) < options_.lowest;
}

bool Verdict::has_failed() { return has_surely_failed() || has_probably_failed(); }

EvaluationOrder hardest_first(const Judgements& first, bool random_rest, std::uint64_t seed) {
  EvaluationOrder order;
  order.positions.resize(first.size());
  std::iota(order.positions.begin(), order.positions.end(), std::size_t{0});
  // Wrong, known and right, not known.
  const auto rank = [&](std::size_t position) {
    const auto& judged = first[position];
    return !judged ? 2 : judged->value < 1 ? 0 : 1;
  };
  std::stable_sort(order.positions.begin(), order.positions.end(), [&](std::size_t a, std::size_t b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return rank(a) == 1 && first[a]->margin < first[b]->margin;
  });
  const auto wrong = static_cast<std::size_t>(
      std::count_if(first.begin(), first.end(), [](const auto& judged) { return judged && judged->value < 1; }));
  const auto unknown =
      static_cast<std::size_t>(std::count_if(first.begin(), first.end(), [](const auto& judged) { return !judged; }));
  const std::size_t near = std::min(2 * wrong, first.size() - unknown);
  // What is not known stands between the near ones and those that are right by far.
  const auto begin = order.positions.begin();
  std::rotate(begin + static_cast<std::ptrdiff_t>(near), order.positions.end() - static_cast<std::ptrdiff_t>(unknown),
              order.positions.end());
  order.random_from = first.size();
  if (!random_rest) return order;
  order.random_from = near;
  const std::vector<std::size_t> rest(begin + static_cast<std::ptrdiff_t>(near), order.positions.end());
  const std::vector<std::size_t> drawn = shuffled(rest.size(), seed);
  for (std::size_t i = 0; i < rest.size(); ++i) order.positions[near + i] = rest[drawn[i]];
  return order;
}

}  // namespace lpot
