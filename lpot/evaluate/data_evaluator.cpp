#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "lpot/core/error.h"
#include "lpot/core/random.h"
#include "lpot/evaluate/accumulator.h"
#include "lpot/evaluate/evaluator.h"
#include "lpot/evaluate/notes.h"
#include "lpot/runtime/runner.h"

namespace lpot {
namespace {

constexpr std::size_t kMaxStoredOutputs = 256u << 20;  // bytes; larger outputs are not stored but computed again

// The number of samples for an estimate: a sixteenth of the data at level 1, an eighth at level 2, within limits
// between which the estimate is useful and cheap (evaluate/loss_sample.h has the measured precision).
std::size_t estimate_samples(int level, std::size_t size) {
  const std::size_t share = level == 1 ? size / 16 : size / 8;
  const std::size_t least = level == 1 ? 32 : 64, most = level == 1 ? 256 : 512;
  return std::min(size, std::clamp(share, least, most));
}

// Removes the scores of those samples that were evaluated only because they belong to the random sample. The order of
// later evaluations depends on the remaining scores. If it depended on the random sample, estimates would have a bias.
SampleScores without_random_sample(SampleScores scores, const EarlyStopping& order, const Score& score) {
  const VerdictOptions& verdict = order.verdict->options();
  if (score.complete) return scores;
  const bool only_sampled = score.samples <= verdict.at_least;
  const std::size_t reached = only_sampled ? 0 : verdict.ranks[order.positions[score.samples - 1]] + 1;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (verdict.ranks[i] >= reached) scores[i].reset();
  return scores;
}

// About `count` random samples; if the model has a state, whole sequences with at least `count` samples.
std::vector<std::size_t> random_subset(const DataLoader& loader, bool has_state, std::size_t count) {
  const std::uint64_t seed = loader.options().seed;
  if (!has_state) {
    std::vector<std::size_t> positions = shuffled(loader.size(), seed);
    positions.resize(count);
    return positions;
  }
  const std::vector<std::size_t>& starts = loader.sequence_starts();
  std::vector<std::size_t> positions;
  for (const std::size_t sequence : shuffled(starts.size(), seed)) {
    if (positions.size() >= count) break;
    const std::size_t end = sequence + 1 < starts.size() ? starts[sequence + 1] : loader.size();
    for (std::size_t i = starts[sequence]; i < end; ++i) positions.push_back(i);
  }
  return positions;
}

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

void DataEvaluator::check_metrics(const Model& fp32, const Observer& observer) const {
  check_metrics_fit(fp32, metrics_, options_);
  auto batch = loader_.read().next();
  if (!batch) throw DataError("evaluate", "the evaluation data set is empty");
  EvaluateOptions options = options_;
  options.is_baseline = true;
  Accumulator accumulator(metrics_, options, loader_.size());
  std::vector<std::size_t> positions(batch->count());
  std::iota(positions.begin(), positions.end(), batch->first);
  Runner runner(fp32, loader_.dataset().input_naming(), {.observer = &observer});
  std::vector<Shape> input_shapes;
  for (const Tensor& input : batch->inputs) input_shapes.push_back(input.shape());
  bool is_read = false;
  runner.run(
      [&]() -> std::optional<std::vector<Tensor>> {
        return std::exchange(is_read, true) ? std::nullopt : std::optional(batch->inputs);
      },
      [&](std::vector<Tensor> outputs) {
        accumulator.add(positions, {std::move(outputs), batch->labels, input_shapes});
      });
}

Score DataEvaluator::baseline(const Model& fp32, const Observer& observer) {
  baseline_outputs_.clear();
  EvaluateOptions options = options_;
  options.is_baseline = true;
  options.collect_sample_scores = true;
  options.choose_throughput = expects_many_;
  Evaluation evaluation = run_evaluation(fp32, loader_, metrics_, options, observer);
  baseline_outputs_ = std::move(evaluation.outputs);
  // With a state, single samples cannot be evaluated: later evaluations do not stop early, estimates use whole
  // sequences.
  baseline_scores_ = fp32.state.empty() ? empty_unless_scored(std::move(evaluation.sample_scores)) : SampleScores{};
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

Score DataEvaluator::score_unless_below(double lowest, const Candidate& candidate, const Observer& observer) {
  if (baseline_scores_.empty()) return score(candidate.model, observer);
  const bool is_first = first_scores_.empty();
  EvaluateOptions options =
      options_with_verdict(lowest, is_first ? SampleScores(baseline_scores_.size()) : first_scores_);
  options.collect_sample_scores = is_first;
  if (!is_first) options.early_stopping.known = known_samples(candidate, options.early_stopping.positions);
  const EarlyStopping early_stopping = options.early_stopping;
  Evaluation evaluation = run_evaluation(candidate.model, loader_, metrics_, options, observer);
  if (is_first)
    first_scores_ = without_random_sample(std::move(evaluation.sample_scores), early_stopping, evaluation.score);
  // The estimate for a model that misses the goal must be below the goal.
  Score score = std::move(evaluation.score);
  if (!score.complete && score.metrics.front().second >= lowest)
    score.metrics.front().second = std::nextafter(lowest, -1.0);
  if (early_stopping.known) score.samples -= std::min(score.samples, early_stopping.known->positions.size());
  return score;
}

// The samples of an estimate, if they are the first of the order. nullptr: none.
const EvaluatedSamples* DataEvaluator::known_samples(const Candidate& candidate,
                                                     const std::vector<std::size_t>& order) const {
  const auto found = estimated_.find(candidate.plan);
  if (candidate.plan == 0 || found == estimated_.end()) return nullptr;
  const std::vector<std::size_t>& known = found->second.positions;
  const bool is_first_part = known.size() <= order.size() && std::equal(known.begin(), known.end(), order.begin());
  return is_first_part ? &found->second : nullptr;
}

// A random sample comes first, so that the accuracy of a model that misses the goal is estimated without bias. The
// hardest of the other samples follow, so that a miss is certain early.
EvaluateOptions DataEvaluator::options_with_verdict(double lowest, const SampleScores& first) const {
  const std::optional<double> confidence = options_.confidence;
  const EvaluationOrder order = hardest_first(baseline_scores_, first, confidence.has_value(), loader_.options().seed);
  const LossSample sample(baseline_scores_, loader_.options().seed);
  const std::size_t sampled = estimate_samples(2, loader_.size());
  VerdictOptions verdict{lowest, confidence, 0, sampled, sample.probabilities(sampled)};
  EvaluateOptions options = candidate_options();
  std::vector<std::size_t>& positions = options.early_stopping.positions;
  positions = sample.positions(sampled);
  std::vector<bool> is_sampled(loader_.size(), false);
  for (const std::size_t position : positions) is_sampled[position] = true;
  verdict.ranks.resize(loader_.size());
  std::size_t random_from = loader_.size();
  for (std::size_t rank = 0; rank < order.positions.size(); ++rank) {
    const std::size_t position = order.positions[rank];
    verdict.ranks[position] = rank;
    if (is_sampled[position]) continue;
    if (rank >= order.random_from) random_from = std::min(random_from, positions.size());
    positions.push_back(position);
  }
  verdict.random_from = random_from;
  options.early_stopping.verdict.emplace(baseline_scores_, std::move(verdict));
  return options;
}

// The metric is a mean over samples: each candidate is compared with the baseline sample by sample.
LossEstimate DataEvaluator::estimate_by_samples(const EstimateRequest& request, const Observer& observer) {
  const LossSample sample(baseline_scores_, loader_.options().seed);
  const std::size_t count = estimate_samples(request.level, loader_.size());
  EvaluatedSamples& known = estimated_[request.candidate.plan];
  const std::size_t before = known.positions.size();
  if (before < count) {
    EvaluateOptions options = candidate_options();
    options.collect_sample_scores = true;
    options.early_stopping.positions = sample.positions(count);
    options.early_stopping.known = before > 0 ? &known : nullptr;
    Evaluation evaluation = run_evaluation(request.candidate.model, loader_, metrics_, options, observer);
    known = {std::move(options.early_stopping.positions), std::move(evaluation.totals),
             std::move(evaluation.sample_scores)};
  }
  LossEstimate estimate = sample.estimate(known.sample_scores, count);
  estimate.samples = known.positions.size() - before;
  return estimate;
}

// The metric is not a mean: both models are evaluated on the same random part of the data. How much the difference
// varies is unknown, so its error is assumed to be as large as the difference.
LossEstimate DataEvaluator::estimate_by_subset(const EstimateRequest& request, const Observer& observer) {
  const std::size_t count = estimate_samples(request.level, loader_.size());
  EvaluateOptions options = candidate_options();
  options.early_stopping.positions = random_subset(loader_, !request.fp32.state.empty(), count);
  const std::size_t used = options.early_stopping.positions.size();
  std::size_t evaluated = used;
  if (!fp32_on_subset_.contains(count)) {
    fp32_on_subset_[count] = run_evaluation(request.fp32, loader_, metrics_, options, observer).score.accuracy();
    evaluated += used;
  }
  const double found = run_evaluation(request.candidate.model, loader_, metrics_, options, observer).score.accuracy();
  const double loss = higher_is_better() ? fp32_on_subset_[count] - found : found - fp32_on_subset_[count];
  return {loss, std::max(std::fabs(loss), 1 / static_cast<double>(loader_.size())), evaluated, used};
}

std::optional<LossEstimate> DataEvaluator::estimate(const EstimateRequest& request, const Observer& observer) {
  if (metrics_.front().metric->needs_all_samples()) return std::nullopt;
  return baseline_scores_.empty() ? estimate_by_subset(request, observer) : estimate_by_samples(request, observer);
}

void DataEvaluator::prepare(const Model& fp32, const Observer& observer) {
  if (needs_baseline(metrics_) && baseline_outputs_.empty()) baseline(fp32, observer);
}

std::string DataEvaluator::notes() const {
  EvaluationNotes notes{baseline_scores_, first_scores_, std::nullopt, options_.throughput.batch_size,
                        options_.throughput.streams};
  std::size_t bytes = 0;
  for (const std::vector<Tensor>& labels : baseline_outputs_)
    for (const Tensor& label : labels) bytes += label.byte_size();
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
  const auto compared = std::count_if(metrics_.begin(), metrics_.end(),
                                      [](const auto& each) { return each.metric->labels_are_baseline(); });
  const std::size_t expected = compared > 0 ? loader_.size() : 0;
  const auto fits_metrics = [&](const auto& labels) { return std::ssize(labels) == compared; };
  if (notes.outputs &&
      (notes.outputs->size() != expected || !std::all_of(notes.outputs->begin(), notes.outputs->end(), fits_metrics)))
    throw StoreError("evaluate", "the stored results belong to other metrics. Tune without --resume.");
  if (notes.outputs) baseline_outputs_ = std::move(*notes.outputs);
  options_.throughput = {notes.batch_size, notes.streams};
}

}  // namespace lpot
