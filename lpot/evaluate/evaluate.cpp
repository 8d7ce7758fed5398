#include "lpot/evaluate/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "lpot/core/clock.h"
#include "lpot/core/error.h"
#include "lpot/distributed/batch_worker.h"
#include "lpot/distributed/messages.h"
#include "lpot/evaluate/accumulator.h"
#include "lpot/model/output_end.h"

namespace lpot {
namespace {

constexpr std::size_t kSamplesPerJob = 32;  // so that small batches are not sent one by one

// Counts samples that contain NaN, for one warning at the end.
class NanCount {
 public:
  void add(std::span<const std::size_t> positions, const std::vector<NanInput>& nans) {
    if (count_ == 0 && !nans.empty()) {
      first_position_ = positions[nans.front().row];
      input_ = nans.front().input;
    }
    count_ += nans.size();
  }

  void report(const DataLoader& loader, const Observer& observer) const {
    if (count_ == 0) return;
    const std::vector<std::string> names = loader.dataset().input_names();
    const std::string input = input_ < names.size() ? fmt::format("'{}'", names[input_]) : std::to_string(input_);
    observer.log(
        LogLevel::Warning,
        fmt::format("{} of {} evaluation samples contain NaN, first sample {} in input {}; the model's output for them "
                    "is meaningless, and most metrics count it as wrong. Check the data and the transforms.",
                    count_, loader.size(), loader.index(first_position_), input));
  }

 private:
  std::size_t count_ = 0, first_position_ = 0, input_ = 0;
};

// Sends outputs, labels and samples with NaN. Rank 0 updates the metrics, in order.
class EvaluationEncoder : public BatchEncoder {
 public:
  std::string encode(ExecutedBatch batch) override {
    ByteWriter writer;
    write(writer, batch.outputs);
    write(writer, batch.labels);
    write(writer, batch.input_shapes);
    std::vector<std::uint64_t> nans;
    for (const NanInput& nan : batch.nans) nans.insert(nans.end(), {nan.row, nan.input});
    writer.numbers(nans);
    return writer.release();
  }
};

ExecutedBatch batch_from_bytes(std::span<const std::size_t> positions, std::string_view bytes) {
  ByteReader reader(bytes, kDamagedMessage);
  ExecutedBatch batch;
  batch.positions = positions;
  batch.outputs = read_tensors(reader);
  batch.labels = read_tensors(reader);
  batch.input_shapes = read_shapes(reader);
  const auto nans = reader.numbers<std::uint64_t>();
  for (std::size_t i = 0; i + 1 < nans.size(); i += 2) {
    if (nans[i] >= batch.labels.size()) reader.damaged();
    batch.nans.push_back({nans[i], nans[i + 1]});
  }
  return batch;
}

std::vector<std::size_t> evaluation_order(const EvaluateOptions& options, std::size_t size) {
  if (!options.early_stopping.positions.empty()) return options.early_stopping.positions;
  std::vector<std::size_t> positions(size);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return positions;
}

// A model and its evaluation data.
struct EvaluationSubject {
  const Model& model;
  const DataLoader& loader;
};

// Runs the batches of one evaluation. The arguments must outlive this object.
class EvaluationRun : public BatchCollector {
 public:
  EvaluationRun(const EvaluationSubject& subject, Accumulator& accumulator, const EvaluateOptions& options,
                const Observer& observer)
      : subject_(subject),
        accumulator_(accumulator),
        options_(options),
        observer_(observer),
        threads_(options.executor->threads(options.threads)),
        positions_(evaluation_order(options, subject.loader.size())) {}

  std::size_t size() const { return positions_.size(); }
  const NanCount& nans() const { return nans_; }

  // Measures with the first samples, in this process, which settings are fastest.
  Throughput choose() {
    const Throughput settings =
        choose_throughput(throughput_choices(subject_.model, subject_.loader, threads_),
                          {size(), subject_.loader.options().batch_size, threads_},
                          [this](const Throughput& tried, std::size_t count) { return run(tried, count, true); });
    std::erase_if(sessions_, [&](const auto& session) { return !(session.first == settings); });
    return settings;
  }

  void run_rest(const Throughput& settings) { run(settings, size() - accumulator_.added(), false); }

  void add(ExecutedBatch batch) override {
    nans_.add(batch.positions, batch.nans);
    BatchResult result{std::move(batch.outputs), std::move(batch.labels), std::move(batch.input_shapes)};
    if (options_.is_baseline && accumulator_.added() == 0) describe(result);
    accumulator_.add(batch.positions, std::move(result));
    observer_.progress("evaluate", accumulator_.added(), size());
  }
  bool is_complete() const override { return accumulator_.has_failed(); }

  nlohmann::json worker_order() const override {
    return {{"work", kEvaluateOrder},
            {"model", model_reference(subject_.model)},
            {"batch_size", settings_.batch_size},
            {"streams", settings_.streams},
            {"requested_threads", options_.threads},
            {"find_nans", options_.report_nans}};
  }
  std::unique_ptr<BatchEncoder> make_encoder() const override { return std::make_unique<EvaluationEncoder>(); }
  void add_encoded(std::span<const std::size_t> positions, std::string_view bytes) override {
    add(batch_from_bytes(positions, bytes));
  }

 private:
  // The first postprocess sees the outputs of the model.
  void describe(const BatchResult& batch) const {
    if (options_.postprocess.empty()) return;
    const std::string text = options_.postprocess.front()->description(batch);
    if (!text.empty()) observer_.log(LogLevel::Info, text);
  }

  // Evaluates the next `count` samples. Returns the seconds that it took.
  double run(const Throughput& settings, std::size_t count, bool in_this_process) {
    const auto start = Clock::now();
    settings_ = settings;
    session_for(settings).run(
        {.positions = next_positions(count), .samples_per_job = kSamplesPerJob, .in_this_process = in_this_process},
        *this, observer_);
    return seconds_since(start);
  }

  // Reuses the compilations of settings that were used before.
  BatchSession& session_for(const Throughput& settings) {
    for (const auto& [known, session] : sessions_)
      if (known == settings) return *session;
    sessions_.emplace_back(settings, options_.executor->open(program(settings)));
    return *sessions_.back().second;
  }

  // Only the evaluation of the baseline reports NaN and disagreeing streams.
  BatchProgram program(const Throughput& settings) const {
    const RunnerOptions runner{.threads = threads_,
                               .streams = settings.streams,
                               .full_batch_shapes = {},
                               .ahead = options_.ahead,
                               .observer = options_.report_nans ? &observer_ : nullptr};
    return {.model = subject_.model,
            .loader = with_batch_size(subject_.loader, settings),
            .runner = runner,
            .find_nans = options_.report_nans};
  }

  std::vector<std::size_t> next_positions(std::size_t count) const {
    const auto first = positions_.begin() + static_cast<std::ptrdiff_t>(accumulator_.added());
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }

  const EvaluationSubject subject_;
  Accumulator& accumulator_;
  const EvaluateOptions& options_;
  const Observer& observer_;
  const int threads_;
  const std::vector<std::size_t> positions_;
  Throughput settings_;  // of the current pass
  NanCount nans_;
  std::vector<std::pair<Throughput, std::unique_ptr<BatchSession>>> sessions_;
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

// The shape of embeddings is that of scores of classes, but the graph shows them if they are divided by their length.
void check_metrics_fit(const Model& model, const std::vector<NamedMetric>& metrics, const EvaluateOptions& options) {
  if (!options.postprocess.empty() || output_end(model, 0).kind != OutputEndKind::UnitNorm) return;
  for (const NamedMetric& named : metrics)
    if (named.metric->needs_class_scores())
      throw DataError("evaluate", fmt::format("{}: the output {} of the model is divided by its length, as embeddings "
                                              "are; expected scores of classes. Metrics that fit: STS or RecallAtK "
                                              "with labels, Cosine without",
                                              named.name, model_outputs(model).at(0).describe()));
}

Score evaluate(const Model& model, const DataLoader& loader, const std::vector<NamedMetric>& metrics,
               const EvaluateOptions& options, const Observer& observer) {
  return run_evaluation(model, loader, metrics, options, observer).score;
}

Evaluation run_evaluation(const Model& model, const DataLoader& loader, const std::vector<NamedMetric>& metrics,
                          const EvaluateOptions& options, const Observer& observer) {
  if (loader.size() == 0) throw DataError("evaluate", "the evaluation data set is empty");
  check_metrics_fit(model, metrics, options);
  const auto start = Clock::now();
  Accumulator accumulator(metrics, options, loader.size());
  EvaluationRun run({model, loader}, accumulator, options, observer);
  const Throughput settings = options.choose_throughput ? run.choose() : options.throughput;
  if (!accumulator.has_failed()) run.run_rest(settings);
  run.nans().report(loader, observer);
  Evaluation evaluation = accumulator.result(run.size());
  evaluation.throughput = settings;
  evaluation.score.seconds = seconds_since(start);
  return evaluation;
}

WorkerTask evaluate_task(const nlohmann::json& order, int rank, const Model& model, const DataLoader& loader) {
  const Throughput settings{order.at("batch_size").get<std::size_t>(), order.at("streams").get<int>()};
  const BatchProgram program{
      .model = model,
      .loader = with_batch_size(loader, settings),
      .runner = {.threads = order.at("requested_threads").get<int>(), .streams = settings.streams},
      .find_nans = order.at("find_nans").get<bool>()};
  return make_batch_task(order, rank, program, std::make_shared<EvaluationEncoder>());
}

}  // namespace lpot
