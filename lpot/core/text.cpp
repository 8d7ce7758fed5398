#include "lpot/core/text.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace lpot {
namespace {

// The Levenshtein distance, computed with one row of the table.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return result;
}

std::string trim(std::string_view text) {
  const auto is_space = [](unsigned char letter) { return std::isspace(letter) != 0; };
  const auto first = std::find_if_not(text.begin(), text.end(), is_space);
  const auto last = std::find_if_not(text.rbegin(), text.rend(), is_space).base();
  return first < last ? std::string(first, last) : std::string();
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t steps = distance(lower(word), lower(candidate));
    if (steps < best_distance) {
      best = candidate;
      best_distance = steps;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string found = nearest(word, candidates);
  return found.empty() ? "" : " (did you mean '" + found + "'?)";
}

std::string did_you_mean_one_of(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kMost = 3;
  std::vector<std::pair<std::size_t, std::string>> near;  // distance and candidate
  for (const std::string& candidate : candidates) {
    const std::string beginning = candidate.substr(0, word.size());
    const std::size_t steps = std::min(distance(lower(word), lower(candidate)),
                                       // A similar word ranks before a common prefix.
                                       distance(lower(word), lower(beginning)) + (beginning == candidate ? 0 : 1));
    if (steps <= std::max<std::size_t>(1, word.size() / 3) + 1) near.emplace_back(steps, candidate);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second.size()) < std::pair(b.first, b.second.size());  // ties: the shorter one first
  });
  near.resize(std::min(near.size(), kMost));
  std::string text;
  for (std::size_t i = 0; i < near.size(); ++i)
    text += (i == 0 ? "" : i + 1 == near.size() ? " or " : ", ") + ("'" + near[i].second + "'");
  return text.empty() ? "" : " (did you mean " + text + "?)";
}

}  // namespace lpot
