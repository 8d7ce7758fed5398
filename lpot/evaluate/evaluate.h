// Computes the score of a model from data and metrics.
//
//   std::vector<NamedMetric> metrics = make_metrics(config.accuracy.metrics);
//   Score score = evaluate(model, loader, metrics);
//
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/distributed/batch_executor.h"
#include "lpot/distributed/jobs.h"
#include "lpot/evaluate/postprocess.h"
#include "lpot/evaluate/throughput.h"
#include "lpot/evaluate/verdict.h"
#include "lpot/metrics/metric.h"
#include "lpot/model/model.h"

namespace lpot {

struct NamedMetric {
  std::string name;
  std::unique_ptr<Metric> metric;  // empty: every evaluation starts with a fresh one
};
std::vector<NamedMetric> make_metrics(const std::vector<Component>&);

struct Score {
  std::vector<std::pair<std::string, double>> metrics;  // the first is the tuning metric
  std::size_t samples = 0;                              // evaluated
  double seconds = 0;
  bool complete = true;  // false: stopped early because the goal is out of reach; the accuracy is an estimate

  double accuracy() const { return metrics.empty() ? 0.0 : metrics.front().second; }
};

// For every sample, the labels of the metrics that compare with the fp32 model, in the order of these metrics. They are
// what Metric::baseline_label returns for its outputs.
using BaselineOutputs = std::vector<std::vector<Tensor>>;

// Samples of a model that are evaluated, with the state of all metrics for them.
struct EvaluatedSamples {
  std::vector<std::size_t> positions = {};  // in the order of evaluation
  std::vector<NamedMetric> totals = {};
  SampleScores sample_scores = {};  // of the first metric, by position in the loader's order
};

// Ends an evaluation as soon as its verdict has failed.
struct EarlyStopping {
  std::vector<std::size_t> positions = {};  // the order of evaluation; empty: the loader's
  std::optional<Verdict> verdict = {};      // in its initial state; empty: all samples are evaluated
  // The first of `positions`, which an earlier evaluation of the same model has evaluated; they are not evaluated
  // again. nullptr: none.
  const EvaluatedSamples* known = nullptr;
};

struct EvaluateOptions {
  int threads = 0;                            // 0: all threads of the executor
  std::optional<double> confidence = {};      // evaluation.accuracy.confidence
  Postprocesses postprocess = {};             // evaluation.accuracy.postprocess
  const BaselineOutputs* baseline = nullptr;  // for metrics with labels_are_baseline, unless is_baseline is true
  bool is_baseline = false;            // the outputs of this model are the labels of such metrics, and are returned
  bool collect_sample_scores = false;  // returns the first metric's score of every sample, if it has sample scores
  EarlyStopping early_stopping = {};
  Throughput throughput = {};      // batch size and streams
  bool choose_throughput = false;  // measures the fastest settings, uses and returns them
  std::shared_ptr<const BatchExecutor> executor = std::make_shared<LocalExecutor>();  // does not change the score
  Compilations* ahead = nullptr;  // compilations of the model that already exist
  bool report_nans = true;        // warns of samples whose inputs contain NaN
};

// The score and the results that the options request.
struct Evaluation {
  Score score;
  BaselineOutputs outputs = {};     // with is_baseline, if a metric compares with the baseline
  SampleScores sample_scores = {};  // with collect_sample_scores: one entry per sample of the loader
  std::vector<NamedMetric> totals;  // all metrics, with the evaluated samples
  Throughput throughput = {};       // the settings that were used
};

// Whether one of the metrics compares with the fp32 model.
bool needs_baseline(const std::vector<NamedMetric>&);

// Throws DataError if a metric needs scores of classes and the graph shows that the outputs are embeddings.
void check_metrics_fit(const Model&, const std::vector<NamedMetric>&, const EvaluateOptions&);

// The score does not depend on the numbers of threads and processes. Throws DataError and ModelError; Interrupted if
// the observer asks to stop.
Score evaluate(const Model&, const DataLoader&, const std::vector<NamedMetric>&, const EvaluateOptions& = {},
               const Observer& = {});
Evaluation run_evaluation(const Model&, const DataLoader&, const std::vector<NamedMetric>&, const EvaluateOptions&,
                          const Observer& = {});

// The task of a worker for an order of `evaluate`.
WorkerTask evaluate_task(const nlohmann::json& order, int rank, const Model&, const DataLoader&);
inline constexpr const char* kEvaluateOrder = "evaluate";  // "work" of that order

}  // namespace lpot
