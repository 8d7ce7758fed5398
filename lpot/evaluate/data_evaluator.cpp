#include <algorithm>
#include <cmath>

#include "lpot/core/error.h"
#include "lpot/evaluate/evaluator.h"
#include "lpot/evaluate/notes.h"

namespace lpot {
namespace {

constexpr std::size_t kMostNotes = 256u << 20;  // bytes; outputs beyond are made again

// Metrics that do not judge leave nothing.
void drop_unless_judged(Judgements& judgements) {
  if (std::none_of(judgements.begin(), judgements.end(), [](const auto& judged) { return judged.has_value(); }))
    judgements.clear();
}

}  // namespace

DataEvaluator::DataEvaluator(DataLoader loader, std::vector<NamedMetric> metrics, EvaluateOptions options)
    : loader_(std::move(loader)), metrics_(std::move(metrics)), options_(std::move(options)) {}

void DataEvaluator::expect_many() {
  expects_many_ = true;
  if (loader_.is_slow()) loader_ = loader_.cached();
}

Score DataEvaluator::baseline(const Model& fp32, const Observer& observer) {
  baseline_outputs_.clear();
  EvaluateOptions options = options_;
  options.keep_outputs = &baseline_outputs_;
  options.judgements = &baseline_judgements_;
  if (expects_many_) options.choose_throughput = &options_.throughput;
  const Score score = evaluate(fp32, loader_, metrics_, options, observer);
  drop_unless_judged(baseline_judgements_);
  return score;
}

Score DataEvaluator::score(const Model& model, const Observer& observer) {
  EvaluateOptions options = options_;
  options.baseline = &baseline_outputs_;
  options.tell_of_nans = false;  // the baseline's evaluation did, of the same data
  Judgements judgements;
  options.judgements = &judgements;
  const Score score = evaluate(model, loader_, metrics_, options, observer);
  drop_unless_judged(judgements);
  if (first_judgements_.empty()) first_judgements_ = std::move(judgements);
  return score;
}

Score DataEvaluator::score_unless_below(double lowest, const Model& model, const Observer& observer) {
  if (baseline_judgements_.empty()) return score(model, observer);
  const bool is_first = first_judgements_.empty();
  Judgements first = is_first ? Judgements(baseline_judgements_.size()) : first_judgements_;
  const std::optional<double> confidence = options_.confidence;
  const EvaluationOrder order =
      hardest_first(baseline_judgements_, first, confidence.has_value(), loader_.options().seed);
  // The search goes on from the loss of the first model, so that is not estimated from a handful of the hardest
  // samples.
  const std::size_t at_least = is_first ? loader_.size() / 4 : 0;
  Verdict verdict(baseline_judgements_, {lowest, confidence, order.random_from, at_least});
  EvaluateOptions options = options_;
  options.baseline = &baseline_outputs_;
  options.tell_of_nans = false;
  options.positions = order.positions;
  options.verdict = &verdict;
  if (is_first) options.judgements = &first;
  Score score = evaluate(model, loader_, metrics_, options, observer);
  if (is_first) first_judgements_ = std::move(first);
  // What is estimated must not look like what it is certain not to be.
  if (!score.complete && score.metrics.front().second >= lowest)
    score.metrics.front().second = std::nextafter(lowest, -1.0);
  return score;
}

void DataEvaluator::prepare(const Model& fp32, const Observer& observer) {
  if (needs_baseline(metrics_) && baseline_outputs_.empty()) baseline(fp32, observer);
}

std::string DataEvaluator::notes() const {
  EvaluationNotes notes{baseline_judgements_, first_judgements_, std::nullopt, options_.throughput.batch_size,
                        options_.throughput.streams};
  std::size_t bytes = 0;
  for (const Tensor& output : baseline_outputs_) bytes += output.byte_size();
  if (bytes <= kMostNotes) notes.outputs = baseline_outputs_;
  return to_bytes(notes);
}

void DataEvaluator::restore(const std::string& bytes) {
  EvaluationNotes notes = notes_from_bytes(bytes);
  const auto fits = [&](const Judgements& judgements) {
    return judgements.empty() || judgements.size() == loader_.size();
  };
  if (!fits(notes.baseline) || !fits(notes.first))
    throw StoreError("evaluate", "the kept judgements are of other data");
  baseline_judgements_ = std::move(notes.baseline);
  first_judgements_ = std::move(notes.first);
  if (notes.outputs) baseline_outputs_ = std::move(*notes.outputs);
  options_.throughput = {notes.batch_size, notes.streams};
}

}  // namespace lpot
