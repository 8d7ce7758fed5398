#include "lpot/metrics/correlation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace lpot {
namespace {

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    for (std::size_t i = first; i < last; ++i)
      result[order[i]] = (static_cast<double>(first + 1) + static_cast<double>(last)) / 2;
    first = last;
  }
  return result;
}

bool is_constant(const Pairs& pairs, double std::pair<double, double>::*side) {
  return std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.*side == pairs[0].*side; });
}

bool all_numbers(const Pairs& pairs) {
  return std::all_of(pairs.begin(), pairs.end(),
                     [](const auto& pair) { return std::isfinite(pair.first) && std::isfinite(pair.second); });
}

}  // namespace

double pearson(Pairs pairs) {
  using Pair = Pairs::value_type;
  if (pairs.size() < 2 || !all_numbers(pairs) || is_constant(pairs, &Pair::first) || is_constant(pairs, &Pair::second))
    return std::numeric_limits<double>::quiet_NaN();
  std::sort(pairs.begin(), pairs.end());  // a fixed order of summation
  long double mean_first = 0, mean_second = 0;
  for (const auto& [first, second] : pairs) {
    mean_first += first;
    mean_second += second;
  }
  mean_first /= static_cast<long double>(pairs.size());
  mean_second /= static_cast<long double>(pairs.size());
  long double together = 0, spread_first = 0, spread_second = 0;
  for (const auto& [first, second] : pairs) {
    together += (first - mean_first) * (second - mean_second);
    spread_first += (first - mean_first) * (first - mean_first);
    spread_second += (second - mean_second) * (second - mean_second);
  }
  const auto value = static_cast<double>(together / std::sqrt(spread_first) / std::sqrt(spread_second));
  return std::clamp(value, -1.0, 1.0);
}

double spearman(const Pairs& pairs) {
  if (!all_numbers(pairs)) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> first, second;
  for (const auto& pair : pairs) {
    first.push_back(pair.first);
    second.push_back(pair.second);
  }
  first = ranks(first);
  second = ranks(second);
  Pairs ranked;
  for (std::size_t i = 0; i < first.size(); ++i) ranked.emplace_back(first[i], second[i]);
  return pearson(std::move(ranked));
}

}  // namespace lpot
