#include "lpot/evaluate/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "lpot/core/clock.h"
#include "lpot/core/cpu.h"
#include "lpot/core/error.h"
#include "lpot/runtime/runner.h"
#include "lpot/share/batches.h"
#include "lpot/share/messages.h"

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

  // That count: where a verdict is certain, those that it took.
  std::size_t samples() const { return has_failed_ ? options_.verdict->evaluated() : samples_; }
  std::size_t added() const { return samples_; }
  bool has_failed() const { return has_failed_; }  // the goal is out of reach, so nothing more is needed
  Score score() const {
    Score score;
    score.samples = samples();
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
    // Sample by sample, so that an evaluation ends at the same one whatever the size of batches and however many run
    // at the same time.
    for (std::size_t i = 0; i < positions.size() && !has_failed_; ++i) {
      if (options_.judgements) (*options_.judgements)[positions[i]] = (*judged)[i];
      if (!options_.verdict) continue;
      options_.verdict->add(positions[i], (*judged)[i].value);
      has_failed_ = options_.verdict->has_failed();
    }
  }

  const EvaluateOptions& options_;
  std::vector<NamedMetric> totals_;
  std::size_t samples_ = 0;
  bool has_failed_ = false;
};

constexpr std::size_t kSamplesPerJob = 32;  // so that small batches are not sent one by one

// Samples that hold NaN, of which the user is told when all are evaluated.
class NanCount {
 public:
  void add(std::span<const std::size_t> positions, const std::vector<NanInput>& nans) {
    if (count_ == 0 && !nans.empty()) {
      first_position_ = positions[nans.front().row];
      input_ = nans.front().input;
    }
    count_ += nans.size();
  }

  void tell(const DataLoader& loader, const Observer& observer) const {
    if (count_ == 0) return;
    const std::vector<std::string> names = loader.dataset().input_names();
    const std::string input = input_ < names.size() ? fmt::format("'{}'", names[input_]) : std::to_string(input_);
    observer.log(
        LogLevel::Warning,
        fmt::format("{} of {} evaluation samples hold NaN, first sample {} in input {}; a model has no answer to "
                    "them, which most metrics count as wrong: check the data and the transforms",
                    count_, loader.size(), loader.index(first_position_), input));
  }

 private:
  std::size_t count_ = 0, first_position_ = 0, input_ = 0;
};

Digest send_all(bool wants_nans) {
  const auto all = [](RanBatch batch) {
    ByteWriter writer;
    write(writer, batch.outputs);
    write(writer, batch.labels);
    std::vector<std::uint64_t> nans;
    for (const NanInput& nan : batch.nans) nans.insert(nans.end(), {nan.row, nan.input});
    writer.numbers(nans);
    return writer.take();
  };
  return {.of_batch = all, .wants_nans = wants_nans};
}

struct Received {
  Answered answered;
  std::vector<NanInput> nans;
};

Received received_from_bytes(std::string_view bytes) {
  ByteReader reader(bytes, kGarbled);
  Received received;
  received.answered.outputs = read_tensors(reader);
  received.answered.labels = read_tensors(reader);
  const auto nans = reader.numbers<std::uint64_t>();
  for (std::size_t i = 0; i + 1 < nans.size(); i += 2) {
    if (nans[i] >= received.answered.labels.size()) reader.damaged();
    received.nans.push_back({nans[i], nans[i + 1]});
  }
  return received;
}

nlohmann::json order_for(const Model& model, const Throughput& way, const EvaluateOptions& options) {
  return {{"work", kEvaluateOrder}, {"model", model_for_order(model)},  {"batch_size", way.batch_size},
          {"streams", way.streams}, {"asked_threads", options.threads}, {"tell_of_nans", options.tell_of_nans}};
}

// Runs the batches of one evaluation.
class Evaluation {
 public:
  Evaluation(const Model& model, const DataLoader& loader, Accumulator& accumulator, const EvaluateOptions& options,
             const Observer& observer)
      : model_(model),
        loader_(loader),
        accumulator_(accumulator),
        options_(options),
        observer_(observer),
        threads_(options.crew ? options.crew->threads(options.threads) : thread_count(options.threads)),
        positions_(options.positions) {
    if (!positions_.empty()) return;
    positions_.resize(loader.size());
    std::iota(positions_.begin(), positions_.end(), std::size_t{0});
  }

  std::size_t size() const { return positions_.size(); }
  const NanCount& nans() const { return nans_; }

  // Which way is fastest, found out with the first samples.
  Throughput choose() {
    const Throughput way = choose_throughput(
        throughput_choices(model_, loader_, threads_), {size(), loader_.options().batch_size, threads_},
        [this](const Throughput& tried, std::size_t count) { return run_some(tried, count); });
    std::erase_if(runners_, [&](const auto& runner) { return !(runner.first == way); });
    return way;
  }

  void run_rest(const Throughput& way) { run_some(way, size() - accumulator_.added()); }

  // In all processes of the crew.
  void run_rest_shared(const Throughput& way) {
    const DataLoader batches = in_batches(loader_, way);
    SharedBatches shared{.loader = batches,
                         .runner = runner_for(way),
                         .options = runner_options(way),
                         .model = model_,
                         .positions = next_positions(size() - accumulator_.added()),
                         .samples_per_job = kSamplesPerJob,
                         .digest = send_all(options_.tell_of_nans),
                         .take = {}};
    shared.take = [this](std::span<const std::size_t> of_batch, std::string_view digest) {
      Received received = received_from_bytes(digest);
      nans_.add(of_batch, received.nans);
      add(of_batch, std::move(received.answered));
      return !accumulator_.has_failed();
    };
    share_batches(*options_.crew, order_for(model_, way, options_), std::move(shared), observer_);
  }

 private:
  // Of streams, as of NaN, the baseline's evaluation tells.
  RunnerOptions runner_options(const Throughput& way) const {
    return {.threads = threads_,
            .streams = way.streams,
            .usual = {},
            .ahead = options_.ahead,
            .observer = options_.tell_of_nans ? &observer_ : nullptr};
  }

  // A way that was run before is compiled already.
  Runner& runner_for(const Throughput& way) {
    for (const auto& [known, runner] : runners_)
      if (known == way) return *runner;
    runners_.emplace_back(way, std::make_unique<Runner>(model_, loader_.dataset().input_naming(), runner_options(way)));
    return *runners_.back().second;
  }

  std::vector<std::size_t> next_positions(std::size_t count) const {
    const auto first = positions_.begin() + static_cast<std::ptrdiff_t>(accumulator_.added());
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }

  void add(std::span<const std::size_t> of_batch, Answered batch) {
    accumulator_.add(of_batch, std::move(batch));
    observer_.progress("evaluate", accumulator_.added(), size());
  }

  // The next `count` samples, in this process. Gives the seconds that it took.
  double run_some(const Throughput& way, std::size_t count) {
    const auto begin = Clock::now();
    const std::vector<std::size_t> positions = next_positions(count);
    BatchStream batches = in_batches(loader_, way).read(positions);
    std::size_t begun = 0;                    // samples
    std::deque<std::vector<Tensor>> waiting;  // labels of batches that are being inferred
    runner_for(way).run(
        [&]() -> std::optional<std::vector<Tensor>> {
          observer_.check_stop();
          if (accumulator_.has_failed()) return std::nullopt;
          auto batch = batches.next();
          if (!batch) return std::nullopt;
          if (options_.tell_of_nans) nans_.add(std::span(positions).subspan(begun), find_nans(batch->inputs));
          begun += batch->count();
          waiting.push_back(std::move(batch->labels));
          return std::move(batch->inputs);
        },
        [&](std::vector<Tensor> outputs) {
          std::vector<Tensor> labels = std::move(waiting.front());
          waiting.pop_front();
          if (accumulator_.has_failed()) return;
          const std::span of_batch(positions_.data() + accumulator_.added(), labels.size());
          add(of_batch, {std::move(outputs), std::move(labels)});
        });
    return seconds_since(begin);
  }

  const Model& model_;
  const DataLoader& loader_;
  Accumulator& accumulator_;
  const EvaluateOptions& options_;
  const Observer& observer_;
  int threads_;
  std::vector<std::size_t> positions_;
  NanCount nans_;
  std::vector<std::pair<Throughput, std::unique_ptr<Runner>>> runners_;
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
  if (options.judgements) options.judgements->assign(loader.size(), std::nullopt);
  Accumulator accumulator(metrics, options);
  Evaluation evaluation(model, loader, accumulator, options, observer);
  Throughput way = options.throughput;
  if (options.choose_throughput) *options.choose_throughput = way = evaluation.choose();
  if (options.crew)
    evaluation.run_rest_shared(way);
  else
    evaluation.run_rest(way);
  evaluation.nans().tell(loader, observer);
  Score score = accumulator.score();
  if (accumulator.samples() < evaluation.size()) {
    // The samples that were evaluated are not like the others: only what is known of the first metric is told.
    score.complete = false;
    score.metrics = {{metrics.front().name, options.verdict->estimate()}};
  }
  score.seconds = seconds_since(start);
  return score;
}

Duty evaluate_work(const nlohmann::json& order, int rank, const Model& model, const DataLoader& loader) {
  const Throughput way{order.at("batch_size").get<std::size_t>(), order.at("streams").get<int>()};
  return batch_work(order, rank, model, in_batches(loader, way),
                    {.threads = order.at("asked_threads").get<int>(), .streams = way.streams},
                    send_all(order.at("tell_of_nans").get<bool>()));
}

}  // namespace lpot
