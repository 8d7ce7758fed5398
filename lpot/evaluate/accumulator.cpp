#include "lpot/evaluate/accumulator.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"

namespace lpot {
namespace {

void check_rows(const std::vector<Tensor>& outputs, std::size_t count) {
  if (outputs.empty() || outputs[0].shape().empty() || outputs[0].shape()[0] != count)
    throw DataError("evaluate", fmt::format("the model returned {} for a batch of {} samples; expected {} rows. If its "
                                            "batch size is fixed, set batch_size to that size.",
                                            outputs.empty() ? "no output" : outputs[0].describe(), count, count));
}

}  // namespace

Accumulator::Accumulator(const std::vector<NamedMetric>& metrics, const EvaluateOptions& options, std::size_t size)
    : options_(options), verdict_(options.early_stopping.verdict) {
  for (const NamedMetric& named : metrics) totals_.push_back({named.name, named.metric->fresh()});
  if (options.collect_sample_scores) sample_scores_.resize(size);
  if (options.early_stopping.known) add_known(*options.early_stopping.known);
}

void Accumulator::add_known(const EvaluatedSamples& known) {
  for (std::size_t i = 0; i < totals_.size(); ++i) totals_[i].metric->merge(*known.totals.at(i).metric);
  for (const std::size_t position : known.positions)
    if (!has_failed_) add_sample_score(position, *known.sample_scores[position]);
  samples_ = known.positions.size();
}

// Metrics that compare with the fp32 model get the outputs of both models before postprocessing, unless they compare
// its results.
void Accumulator::add(std::span<const std::size_t> positions, BatchResult batch) {
  const std::size_t count = batch.labels.size();
  if (compares_raw() || options_.postprocess.empty()) check_rows(batch.outputs, count);
  try {
    const std::vector<Tensor> raw = batch.outputs;
    for (const auto& step : options_.postprocess) batch = step->apply(std::move(batch));
    check_rows(batch.outputs, count);
    if (options_.is_baseline) store_baseline(raw, batch.outputs, count);
    std::size_t compared = 0;
    for (std::size_t i = 0; i < totals_.size(); ++i) {
      Metric& metric = *totals_[i].metric;
      const bool is_compared = metric.labels_are_baseline();
      const std::vector<Tensor>& outputs = is_compared && !metric.compares_postprocessed() ? raw : batch.outputs;
      const std::vector<Tensor> labels = is_compared ? baseline_labels(positions, compared++) : batch.labels;
      metric.update(outputs, labels);
      if (i == 0 && (verdict_ || options_.collect_sample_scores)) add_sample_scores({outputs, labels}, positions);
    }
  } catch (const DataError& error) {
    throw DataError("evaluate",
                    fmt::format("batch of samples {}..{}: {}", positions.front(), positions.back(), error.what()));
  }
  samples_ += count;
}

Evaluation Accumulator::result(std::size_t expected) {
  Evaluation evaluation;
  evaluation.score.samples = has_failed_ ? verdict_->evaluated() : samples_;
  evaluation.score.complete = evaluation.score.samples >= expected;
  if (evaluation.score.complete)
    for (const NamedMetric& total : totals_) evaluation.score.metrics.emplace_back(total.name, total.metric->result());
  else  // The evaluated samples are harder than the others, so only the first metric has an estimate.
    evaluation.score.metrics = {{totals_.front().name, verdict_->estimate()}};
  if (options_.is_baseline && evaluation.score.complete)
    for (const NamedMetric& total : totals_) total.metric->check_baseline();
  evaluation.outputs = std::move(outputs_);
  evaluation.sample_scores = std::move(sample_scores_);
  evaluation.totals = std::move(totals_);
  return evaluation;
}

// Whether a metric compares outputs before postprocessing.
bool Accumulator::compares_raw() const {
  return std::any_of(totals_.begin(), totals_.end(), [](const NamedMetric& total) {
    return total.metric->labels_are_baseline() && !total.metric->compares_postprocessed();
  });
}

void Accumulator::store_baseline(const std::vector<Tensor>& raw, const std::vector<Tensor>& postprocessed,
                                 std::size_t count) {
  if (!needs_baseline(totals_)) return;
  for (std::size_t row = 0; row < count; ++row) {
    std::vector<Tensor>& labels = outputs_.emplace_back();
    for (const NamedMetric& total : totals_)
      if (total.metric->labels_are_baseline())
        labels.push_back(
            total.metric->baseline_label(total.metric->compares_postprocessed() ? postprocessed : raw, row));
  }
}

// The labels of a metric; `number` counts the metrics that compare with the fp32 model.
std::vector<Tensor> Accumulator::baseline_labels(std::span<const std::size_t> positions, std::size_t number) const {
  const BaselineOutputs* baseline = options_.is_baseline ? &outputs_ : options_.baseline;
  std::vector<Tensor> labels;
  for (const std::size_t position : positions) {
    if (!baseline || position >= baseline->size())
      throw DataError(
          "evaluate",
          "the metric compares with the fp32 model, but the fp32 outputs are missing. Evaluate the fp32 model first.");
    labels.push_back((*baseline)[position].at(number));
  }
  return labels;
}

// Sample by sample, so that an evaluation stops at the same sample for every batch size and number of threads.
void Accumulator::add_sample_scores(const BatchResult& batch, std::span<const std::size_t> positions) {
  const auto scores = totals_.front().metric->sample_scores(batch.outputs, batch.labels);
  if (!scores) return;
  for (std::size_t i = 0; i < positions.size() && !has_failed_; ++i) add_sample_score(positions[i], (*scores)[i]);
}

void Accumulator::add_sample_score(std::size_t position, const SampleScore& score) {
  if (options_.collect_sample_scores) sample_scores_[position] = score;
  if (!verdict_) return;
  verdict_->add(position, score.value);
  has_failed_ = verdict_->has_failed();
}

}  // namespace lpot
