#include "lpot/evaluate/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <span>

#include "lpot/core/clock.h"
#include "lpot/core/cpu.h"
#include "lpot/core/error.h"
#include "lpot/runtime/runner.h"

namespace lpot {
namespace {

// Adds batches to all metrics.
class Accumulator {
 public:
  Accumulator(const std::vector<NamedMetric>& metrics, const EvaluateOptions& options) : options_(options) {
    for (const NamedMetric& named : metrics) totals_.push_back({named.name, named.metric->fresh()});
  }

  // `positions`: of the batch's samples in the loader's order.
  void add(std::span<const std::size_t> positions, Answered batch) {
    const std::size_t count = batch.labels.size();
    check_rows(batch.outputs, count);
    if (options_.keep_outputs && needs_baseline(totals_))
      for (std::size_t row = 0; row < count; ++row) options_.keep_outputs->push_back(batch.outputs[0].slice(row));
    try {
      // Metrics that compare with the fp32 model see what both models give.
      if (needs_baseline(totals_)) update({batch.outputs, baseline_labels(positions)}, positions, true);
      for (const auto& step : options_.postprocess) batch = step->apply(std::move(batch));
      update(batch, positions, false);
    } catch (const DataError& error) {
      throw DataError("evaluate",
                      fmt::format("batch of samples {}..{}: {}", positions.front(), positions.back(), error.what()));
    }
    samples_ += count;
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

  std::vector<Tensor> baseline_labels(std::span<const std::size_t> positions) const {
    const BaselineOutputs* kept = options_.keep_outputs ? options_.keep_outputs : options_.baseline;
    std::vector<Tensor> outputs;
    for (const std::size_t position : positions) {
      if (!kept || position >= kept->size())
        throw DataError("evaluate", "this metric compares with the fp32 model, whose outputs are not there");
      outputs.push_back((*kept)[position]);
    }
    return outputs;
  }

  // Of the metrics that compare with the baseline, or of the others.
  void update(const Answered& batch, std::span<const std::size_t> positions, bool with_baseline) {
    for (NamedMetric& total : totals_)
      if (total.metric->labels_are_baseline() == with_baseline) total.metric->update(batch.outputs, batch.labels);
    const Metric& first = *totals_.front().metric;
    if (first.labels_are_baseline() == with_baseline && (options_.verdict || options_.judgements))
      judge(first, batch, positions);
  }

  void judge(const Metric& metric, const Answered& batch, std::span<const std::size_t> positions) {
    const auto judged = metric.judge(batch.outputs, batch.labels);
    if (!judged) return;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (options_.judgements) (*options_.judgements)[positions[i]] = (*judged)[i];
      if (options_.verdict) options_.verdict->add(positions[i], (*judged)[i].value);
    }
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
  const auto start = Clock::now();
  Accumulator accumulator(metrics, options);
  std::vector<std::size_t> positions = options.positions;
  if (positions.empty()) {
    positions.resize(loader.size());
    std::iota(positions.begin(), positions.end(), std::size_t{0});
  }
  if (options.judgements) options.judgements->assign(loader.size(), std::nullopt);
  const auto has_failed = [&] { return options.verdict && options.verdict->has_failed(); };

  // The next `count` samples; a way that was run before is compiled already.
  std::vector<std::pair<Throughput, std::unique_ptr<Runner>>> runners;
  const auto run_some = [&](const Throughput& way, std::size_t count) {
    const auto begin = Clock::now();
    auto known = std::find_if(runners.begin(), runners.end(), [&](const auto& runner) { return runner.first == way; });
    if (known == runners.end()) {
      runners.emplace_back(way,
                           std::make_unique<Runner>(model, loader.dataset().input_naming(),
                                                    RunnerOptions{.threads = options.threads, .streams = way.streams}));
      known = runners.end() - 1;
    }
    const auto first = positions.begin() + static_cast<std::ptrdiff_t>(accumulator.samples());
    BatchStream batches = in_batches(loader, way).read({first, first + static_cast<std::ptrdiff_t>(count)});
    std::deque<std::vector<Tensor>> waiting;  // labels of batches that are being inferred
    known->second->run(
        [&]() -> std::optional<std::vector<Tensor>> {
          observer.check_stop();
          if (has_failed()) return std::nullopt;
          auto batch = batches.next();
          if (!batch) return std::nullopt;
          waiting.push_back(std::move(batch->labels));
          return std::move(batch->inputs);
        },
        [&](std::vector<Tensor> outputs) {
          const std::span of_batch(positions.data() + accumulator.samples(), waiting.front().size());
          accumulator.add(of_batch, {std::move(outputs), std::move(waiting.front())});
          waiting.pop_front();
          observer.progress("evaluate", accumulator.samples(), positions.size());
        });
    return seconds_since(begin);
  };
  Throughput way = options.throughput;
  if (options.choose_throughput) {
    const int threads = thread_count(options.threads);
    way = choose_throughput(throughput_choices(model, loader, threads),
                            {positions.size(), loader.options().batch_size, threads}, run_some);
    *options.choose_throughput = way;
    std::erase_if(runners, [&](const auto& runner) { return !(runner.first == way); });
  }
  run_some(way, positions.size() - accumulator.samples());
  Score score = accumulator.score();
  if (accumulator.samples() < positions.size()) {
    // The samples that were evaluated are not like the others: only what is known of the first metric is told.
    score.complete = false;
    score.metrics = {{metrics.front().name, options.verdict->estimate()}};
  }
  score.seconds = seconds_since(start);
  return score;
}

}  // namespace lpot
