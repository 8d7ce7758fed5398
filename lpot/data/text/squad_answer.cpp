#include "lpot/data/text/squad_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "lpot/core/error.h"

namespace lpot {
namespace {

// The indices of the largest values; of equal values, the first comes first. NaN counts as the smallest value.
std::vector<std::size_t> most_likely(std::span<const float> logits, std::size_t count) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (logits[i] == logits[i]) places.push_back(i);
  count = std::min(count, places.size());
  std::partial_sort(
      places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count), places.end(),
      [&](std::size_t a, std::size_t b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; });
  places.resize(count);
  return places;
}

}  // namespace

SquadAnswer best_answer(const SquadWindows& windows, std::size_t number, std::span<const float> start,
                        std::span<const float> end, const AnswerOptions& options) {
  const Window& window = windows.window(number);
  if (start.size() != end.size() || start.size() < window.length())
    throw DataError("SquadV1", fmt::format("{} start and {} end logits for a window of {} tokens. Set max_seq_length, "
                                           "doc_stride and max_query_length to the values of the data set",
                                           start.size(), end.size(), window.length()));
  SquadAnswer best{"", -std::numeric_limits<double>::infinity()};
  std::size_t first = 0, last = 0;
  const auto in_paragraph = [&](std::size_t place) {
    return place >= window.before && place < window.before + window.count;
  };
  const std::vector<std::size_t> ends = most_likely(end, options.n_best);
  for (const std::size_t from : most_likely(start, options.n_best)) {
    if (!in_paragraph(from) || !windows.has_most_context(number, from - window.before)) continue;
    for (const std::size_t to : ends) {
      if (!in_paragraph(to) || to < from || to - from + 1 > options.max_answer_length) continue;
      const double score = static_cast<double>(start[from]) + static_cast<double>(end[to]);
      if (score <= best.score) continue;
      best.score = score;
      first = from - window.before;
      last = to - window.before;
    }
  }
  if (best.score > -std::numeric_limits<double>::infinity()) best.text = windows.text(window, first, last);
  return best;
}

}  // namespace lpot
