#include "lpot/evaluate/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>

#include "lpot/core/error.h"
#include "lpot/evaluate/postprocess.h"
#include "lpot/runtime/runner.h"

namespace lpot {
namespace {

// Adds batches to all metrics, in the loader's order.
class Accumulator {
 public:
  Accumulator(const std::vector<NamedMetric>& metrics, const EvaluateOptions& options) : options_(options) {
    for (const NamedMetric& named : metrics) totals_.push_back({named.name, named.metric->fresh()});
  }

  void add(std::size_t first, const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) {
    check_rows(outputs, labels.size());
    const bool from_baseline = needs_baseline(totals_);
    if (options_.keep_outputs && from_baseline)
      for (std::size_t row = 0; row < labels.size(); ++row) options_.keep_outputs->push_back(outputs[0].slice(row));
    for (NamedMetric& total : totals_) {
      try {
        total.metric->update(outputs,
                             total.metric->labels_are_baseline() ? baseline_labels(first, labels.size()) : labels);
      } catch (const DataError& error) {
        throw DataError("evaluate",
                        fmt::format("batch of samples {}..{}: {}", first, first + labels.size() - 1, error.what()));
      }
    }
    samples_ += labels.size();
  }

  std::size_t samples() const { return samples_; }
  Score score() const {
    Score score;
    score.samples = samples_;
    for (const NamedMetric& total : totals_) score.metrics.emplace_back(total.name, total.metric->result());
    return score;
  }

 private:
  static void check_rows(const std::vector<Tensor>& outputs, std::size_t count) {
    if (outputs.empty() || outputs[0].shape().empty() || outputs[0].shape()[0] != count)
      throw DataError("evaluate", fmt::format("the model gives {} for a batch of {} samples, expected {} rows; if its "
                                              "batch size is fixed, set batch_size to it",
                                              outputs.empty() ? "no output" : outputs[0].describe(), count, count));
  }

  std::vector<Tensor> baseline_labels(std::size_t first, std::size_t count) const {
    const BaselineOutputs* kept = options_.keep_outputs ? options_.keep_outputs : options_.baseline;
    if (!kept || kept->size() < first + count)
      throw DataError("evaluate", "this metric compares with the fp32 model, whose outputs are not there");
    const auto begin = kept->begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }

  const EvaluateOptions& options_;
  std::vector<NamedMetric> totals_;
  std::size_t samples_ = 0;
};

}  // namespace

std::vector<NamedMetric> make_metrics(const std::vector<Component>& components) {
  std::vector<NamedMetric> metrics;
  for (const Component& component : components) metrics.push_back({metric_name(component), make_metric(component)});
  return metrics;
}

bool needs_baseline(const std::vector<NamedMetric>& metrics) {
  return std::any_of(metrics.begin(), metrics.end(),
                     [](const NamedMetric& named) { return named.metric->labels_are_baseline(); });
}

Score evaluate(const Model& model, const DataLoader& loader, const std::vector<NamedMetric>& metrics,
               const EvaluateOptions& options, const Observer& observer) {
  if (loader.size() == 0) throw DataError("evaluate", "the evaluation data set is empty");
  const auto start = std::chrono::steady_clock::now();
  Runner runner(model, loader.dataset().input_names(), {.threads = options.threads});
  Accumulator accumulator(metrics, options);
  BatchStream batches = loader.read();
  struct Waiting {
    std::size_t first;
    std::vector<Tensor> labels;
  };
  std::deque<Waiting> waiting;  // labels of batches that are being inferred
  runner.run(
      [&]() -> std::optional<std::vector<Tensor>> {
        observer.check_stop();
        auto batch = batches.next();
        if (!batch) return std::nullopt;
        waiting.push_back({batch->first, postprocess_labels(std::move(batch->labels), options.postprocess)});
        return std::move(batch->inputs);
      },
      [&](std::vector<Tensor> outputs) {
        accumulator.add(waiting.front().first, outputs, waiting.front().labels);
        waiting.pop_front();
        observer.progress("evaluate", accumulator.samples(), loader.size());
      });
  Score score = accumulator.score();
  score.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return score;
}

}  // namespace lpot
