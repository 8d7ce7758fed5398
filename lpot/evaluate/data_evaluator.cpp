#include <algorithm>
#include <cmath>

#include "lpot/core/error.h"
#include "lpot/evaluate/evaluator.h"
#include "lpot/evaluate/notes.h"

namespace lpot {
namespace {

constexpr std::size_t kMaxStoredOutputs = 256u << 20;  // bytes; larger outputs are not stored but computed again

// Empty if the metric has no sample scores.
SampleScores empty_unless_scored(SampleScores sample_scores) {
  const bool any =
      std::any_of(sample_scores.begin(), sample_scores.end(), [](const auto& score) { return score.has_value(); });
  return any ? std::move(sample_scores) : SampleScores{};
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
  options.is_baseline = true;
  options.collect_sample_scores = true;
  options.choose_throughput = expects_many_;
  Evaluation evaluation = run_evaluation(fp32, loader_, metrics_, options, observer);
  baseline_outputs_ = std::move(evaluation.outputs);
  baseline_scores_ = empty_unless_scored(std::move(evaluation.sample_scores));
  options_.throughput = evaluation.throughput;
  return evaluation.score;
}

// Options for the models after the baseline. The baseline has already reported NaN in the same data.
EvaluateOptions DataEvaluator::candidate_options() const {
  EvaluateOptions options = options_;
  options.baseline = &baseline_outputs_;
  options.report_nans = false;
  return options;
}

Score DataEvaluator::score(const Model& model, const Observer& observer) {
  EvaluateOptions options = candidate_options();
  options.collect_sample_scores = true;
  Evaluation evaluation = run_evaluation(model, loader_, metrics_, options, observer);
  if (first_scores_.empty()) first_scores_ = empty_unless_scored(std::move(evaluation.sample_scores));
  return evaluation.score;
}

Score DataEvaluator::score_unless_below(double lowest, const Model& model, const Observer& observer) {
  if (baseline_scores_.empty()) return score(model, observer);
  const bool is_first = first_scores_.empty();
  const SampleScores first = is_first ? SampleScores(baseline_scores_.size()) : first_scores_;
  const std::optional<double> confidence = options_.confidence;
  const EvaluationOrder order = hardest_first(baseline_scores_, first, confidence.has_value(), loader_.options().seed);
  // The search uses the loss of the first model, so it must not be estimated from only a few of the hardest samples.
  const std::size_t at_least = is_first ? loader_.size() / 4 : 0;
  EvaluateOptions options = candidate_options();
  options.early_stopping.positions = order.positions;
  options.early_stopping.verdict.emplace(baseline_scores_,
                                         VerdictOptions{lowest, confidence, order.random_from, at_least});
  options.collect_sample_scores = is_first;
  Evaluation evaluation = run_evaluation(model, loader_, metrics_, options, observer);
  if (is_first) first_scores_ = std::move(evaluation.sample_scores);
  // The estimate for a model that misses the goal must be below the goal.
  Score score = std::move(evaluation.score);
  if (!score.complete && score.metrics.front().second >= lowest)
    score.metrics.front().second = std::nextafter(lowest, -1.0);
  return score;
}

void DataEvaluator::prepare(const Model& fp32, const Observer& observer) {
  if (needs_baseline(metrics_) && baseline_outputs_.empty()) baseline(fp32, observer);
}

std::string DataEvaluator::notes() const {
  EvaluationNotes notes{baseline_scores_, first_scores_, std::nullopt, options_.throughput.batch_size,
                        options_.throughput.streams};
  std::size_t bytes = 0;
  for (const Tensor& output : baseline_outputs_) bytes += output.byte_size();
  if (bytes <= kMaxStoredOutputs) notes.outputs = baseline_outputs_;
  return to_bytes(notes);
}

void DataEvaluator::restore(const std::string& bytes) {
  EvaluationNotes notes = notes_from_bytes(bytes);
  const auto fits = [&](const SampleScores& sample_scores) {
    return sample_scores.empty() || sample_scores.size() == loader_.size();
  };
  if (!fits(notes.baseline) || !fits(notes.first))
    throw StoreError("evaluate", "the stored results belong to other evaluation data. Tune without --resume.");
  baseline_scores_ = std::move(notes.baseline);
  first_scores_ = std::move(notes.first);
  if (notes.outputs) baseline_outputs_ = std::move(*notes.outputs);
  options_.throughput = {notes.batch_size, notes.streams};
}

}  // namespace lpot
