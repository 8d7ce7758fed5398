#include "lpot/evaluate/verdict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "lpot/core/random.h"

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

bool is_wrong(const std::optional<Judgement>& judged) { return judged && judged->value < 1; }

std::size_t count_wrong(const Judgements& judgements) {
  return static_cast<std::size_t>(std::count_if(judgements.begin(), judgements.end(), is_wrong));
}

// The margin of a sample that is right; what is not known is behind all that is.
double hardness(const std::optional<Judgement>& judged) {
  return !judged ? std::numeric_limits<double>::infinity() : is_wrong(*judged) ? -1 : judged->margin;
}

// By position: the place of a sample when one model's hardest come first; where that does not tell, another's.
std::vector<std::size_t> places(const Judgements& by, const Judgements& then) {
  std::vector<std::size_t> positions(by.size()), places(by.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  std::stable_sort(positions.begin(), positions.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(hardness(by[a]), hardness(then[a])) < std::pair(hardness(by[b]), hardness(then[b]));
  });
  for (std::size_t place = 0; place < positions.size(); ++place) places[positions[place]] = place;
  return places;
}

// What became of a sample that the baseline has right.
struct KnownSamples {
  double margin = 0;
  double lost = 0;  // of its value
};

// The probability that normal noise of this deviation turns a sample with this margin.
double turned(double margin, double deviation) {
  return std::clamp(std::erfc(margin / deviation / std::numbers::sqrt2) / 2, 1e-12, 0.5);
}

// The deviation of the noise that explains best which samples were lost: one of many between 1/1000 and 1000 margins.
double likeliest_noise(const std::vector<KnownSamples>& samples, double largest_margin) {
  constexpr int kSteps = 60;
  double likeliest = 0, most = -std::numeric_limits<double>::infinity();
  for (int step = 0; step <= kSteps; ++step) {
    const double deviation = largest_margin * std::pow(10.0, 6.0 * step / kSteps - 3);
    double likelihood = 0;
    for (const KnownSamples& sample : samples) {
      const double probability = turned(sample.margin, deviation);
      likelihood += sample.lost * std::log(probability) + (1 - sample.lost) * std::log1p(-probability);
    }
    if (likelihood > most) {
      most = likelihood;
      likeliest = deviation;
    }
  }
  return likeliest;
}

// What is lost of samples to come with these margins: as much as the noise says that explains what `came`. Where
// margins are not known, or more were lost than noise can explain, the samples to come, which are easier, are taken to
// lose half as often.
double expected_loss(const std::vector<KnownSamples>& came, const std::vector<double>& coming) {
  double lost = 0, largest = 0;
  for (const KnownSamples& sample : came) {
    lost += sample.lost;
    largest = std::max(largest, sample.margin);
  }
  if (lost <= 0 || coming.empty()) return 0;
  if (largest <= 0 || 2 * lost > static_cast<double>(came.size()))
    return static_cast<double>(coming.size()) * lost / static_cast<double>(came.size()) / 2;
  const double deviation = likeliest_noise(came, largest);
  return std::accumulate(coming.begin(), coming.end(), 0.0,
                         [&](double sum, double margin) { return sum + turned(margin, deviation); });
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

Verdict::Verdict(const Judgements& baseline, VerdictOptions options)
    : baseline_(baseline), options_(options), lost_(baseline.size()) {
  for (const auto& judged : baseline_) {
    baseline_total_ += judged->value;
    whole_ = whole_ && (judged->value == 0 || judged->value == 1);
  }
}

void Verdict::add(std::size_t position, double value) {
  const double before = baseline_.at(position)->value;
  if (evaluated() >= options_.random_from) {
    ++random_.drawn;
    random_.gains += value > before;
    random_.losses += value < before;
  }
  whole_ = whole_ && (value == 0 || value == 1);
  sum_ += value;
  baseline_sum_ += before;
  lost_[position] = before - value;
  ++evaluated_;
}

double Verdict::loss_to_come() const {
  const auto to_come = static_cast<double>(baseline_.size() - evaluated());
  if (random_.drawn > 0) {  // as those that were drawn
    const double net = static_cast<double>(random_.losses) - static_cast<double>(random_.gains);
    return std::max(0.0, net / static_cast<double>(random_.drawn)) * to_come;
  }
  std::vector<KnownSamples> came;
  std::vector<double> coming;  // margins
  for (std::size_t i = 0; i < baseline_.size(); ++i) {
    if (baseline_[i]->value <= 0) continue;
    if (lost_[i])
      came.push_back({baseline_[i]->margin, std::max(0.0, *lost_[i])});
    else
      coming.push_back(baseline_[i]->margin);
  }
  return expected_loss(came, coming);
}

double Verdict::estimate() const {
  const double known = baseline_total_ - (baseline_sum_ - sum_);
  return std::max(sum_, known - loss_to_come()) / static_cast<double>(baseline_.size());
}

bool Verdict::has_surely_failed() const {
  const auto to_come = static_cast<double>(baseline_.size() - evaluated());
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

bool Verdict::has_failed() {
  return evaluated() >= options_.at_least && (has_surely_failed() || has_probably_failed());
}

EvaluationOrder hardest_first(const Judgements& baseline, const Judgements& first, bool random_rest,
                              std::uint64_t seed) {
  const std::vector<std::size_t> by_baseline = places(baseline, first), by_first = places(first, baseline);
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
