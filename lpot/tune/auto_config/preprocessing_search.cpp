#include "lpot/tune/auto_config/preprocessing_search.h"

#include <algorithm>
#include <numeric>

namespace lpot {
namespace {

struct Round {
  std::size_t samples;
  std::size_t candidates;  // maximum number of candidates that run
};
constexpr Round kRounds[] = {{32, 64}, {128, 3}, {512, 2}};

std::vector<std::int64_t> classes_of(const SampleOutputs& outputs, std::int64_t offset) {
  std::vector<std::int64_t> labels = outputs.labels;
  for (std::int64_t& label : labels) label += offset;
  return labels;
}

// Whether there is one label per row, and all are classes of the model.
bool are_classes(const std::vector<std::int64_t>& labels, const SampleOutputs& outputs) {
  const std::size_t classes = outputs.classes();
  return !labels.empty() && labels.size() == outputs.rows.size() &&
         std::all_of(labels.begin(), labels.end(),
                     [&](std::int64_t label) { return label >= 0 && label < static_cast<std::int64_t>(classes); });
}

// One search, with labels at a given offset or without labels.
class Search {
 public:
  Search(const std::vector<PreprocessingCandidate>& candidates, const RunCandidate& run,
         std::optional<std::int64_t> offset)
      : candidates_(candidates), run_(run), offset_(offset), fits_(candidates.size()) {}

  PreprocessingChoice choose() {
    std::vector<std::size_t> remaining(candidates_.size());
    std::iota(remaining.begin(), remaining.end(), std::size_t{0});
    std::size_t samples = 0;
    for (const Round& round : kRounds) {
      if (samples > 0 && (outputs_.samples < samples || is_decided(remaining))) break;
      remaining.resize(std::min(remaining.size(), round.candidates));
      std::sort(remaining.begin(), remaining.end());  // so that of equals the first one stays in front
      for (const std::size_t index : remaining) fits_[index] = evaluate(index, round.samples);
      std::stable_sort(remaining.begin(), remaining.end(),
                       [&](std::size_t a, std::size_t b) { return fits_[a].mean() > fits_[b].mean(); });
      samples = round.samples;
    }
    return result(remaining);
  }

 private:
  // With more candidates than the second round takes, the search continues. Otherwise it ends as soon as the best
  // candidate is clearly better than the second one.
  bool is_decided(const std::vector<std::size_t>& ranked) const {
    return ranked.size() < 2 || (ranked.size() <= kRounds[1].candidates && is_clear(ranked));
  }
  bool is_clear(const std::vector<std::size_t>& ranked) const {
    return ranked.size() < 2 || clearly_better(fits_[ranked[0]], fits_[ranked[1]]);
  }

  PreprocessingFit evaluate(std::size_t index, std::size_t samples) {
    outputs_ = run_(candidates_[index], samples);
    return fit_of(candidates_[index].name, outputs_.rows,
                  offset_ ? classes_of(outputs_, *offset_) : std::vector<std::int64_t>{});
  }

  PreprocessingChoice result(const std::vector<std::size_t>& ranked) {
    PreprocessingChoice choice;
    choice.is_clear = is_clear(ranked);
    choice.chosen = choice.is_clear ? ranked[0] : std::min(ranked[0], ranked[1]);
    fits_[choice.chosen] = evaluate(choice.chosen, fits_[choice.chosen].values.size());
    choice.outputs = outputs_;
    choice.uses_labels = offset_.has_value();
    choice.label_offset = offset_.value_or(0);
    const auto labels = offset_ ? classes_of(outputs_, *offset_) : std::vector<std::int64_t>{};
    choice.has_fit = !fits_nothing(fits_[choice.chosen], labels, outputs_.classes());
    choice.fits = fits_;
    std::stable_sort(choice.fits.begin(), choice.fits.end(), [](const auto& a, const auto& b) {
      return std::pair(a.values.size(), a.mean()) > std::pair(b.values.size(), b.mean());
    });
    return choice;
  }

  const std::vector<PreprocessingCandidate>& candidates_;
  const RunCandidate& run_;
  std::optional<std::int64_t> offset_;
  std::vector<PreprocessingFit> fits_;
  SampleOutputs outputs_;  // of the last run
};

// The offset with which the first candidates fit best, nothing if no offset gives classes of the model.
std::optional<std::int64_t> best_offset(const std::vector<PreprocessingCandidate>& candidates,
                                        const LabelHypotheses& labels, const RunCandidate& run) {
  std::vector<std::int64_t> possible;
  const SampleOutputs first = run(candidates.front(), kRounds[0].samples);
  for (const std::int64_t offset : labels.offsets)
    if (are_classes(classes_of(first, offset), first)) possible.push_back(offset);
  if (possible.empty()) return std::nullopt;
  if (possible.size() == 1) return possible.front();
  std::vector<PreprocessingFit> best;  // of each offset over all candidates
  for (const PreprocessingCandidate& candidate : candidates) {
    const SampleOutputs outputs = run(candidate, kRounds[0].samples);
    for (std::size_t i = 0; i < possible.size(); ++i) {
      PreprocessingFit fit = fit_of(candidate.name, outputs.rows, classes_of(outputs, possible[i]));
      if (best.size() <= i)
        best.push_back(std::move(fit));
      else if (fit.mean() > best[i].mean())
        best[i] = std::move(fit);
    }
  }
  return possible[best_fit(best)];
}

}  // namespace

LabelHypotheses label_hypotheses(std::int64_t first, std::int64_t last, std::size_t classes) {
  LabelHypotheses labels{true, {}};
  const auto count = static_cast<std::int64_t>(classes);
  if (first >= 0 && last < count) labels.offsets.push_back(0);
  if (first == 0 && last + 2 == count) labels.offsets.push_back(1);
  if (first == 1 && last == count) labels.offsets.push_back(-1);
  return labels;
}

PreprocessingChoice choose_preprocessing(const std::vector<PreprocessingCandidate>& candidates,
                                         const LabelHypotheses& labels, const RunCandidate& run) {
  if (labels.has_labels)
    if (const auto offset = best_offset(candidates, labels, run)) {
      PreprocessingChoice choice = Search(candidates, run, offset).choose();
      if (choice.has_fit) return choice;
    }
  return Search(candidates, run, std::nullopt).choose();
}

}  // namespace lpot
