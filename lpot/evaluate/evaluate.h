// A model, data and metrics give a Score.
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
#include "lpot/evaluate/postprocess.h"
#include "lpot/evaluate/throughput.h"
#include "lpot/evaluate/verdict.h"
#include "lpot/metric/metric.h"
#include "lpot/model/model.h"
#include "lpot/share/jobs.h"

namespace lpot {

class Compilations;
class Crew;

struct NamedMetric {
  std::string name;
  std::unique_ptr<Metric> metric;  // nothing counted: a fresh one is made for every evaluation
};
std::vector<NamedMetric> make_metrics(const std::vector<Component>&);

struct Score {
  std::vector<std::pair<std::string, double>> metrics;  // the first is the one that is tuned for
  std::size_t samples = 0;                              // that were evaluated
  double seconds = 0;
  bool complete = true;  // else it ended early: the goal cannot be met any more, and the accuracy is an estimate

  double accuracy() const { return metrics.empty() ? 0.0 : metrics.front().second; }
};

// The first output of the fp32 model for every sample: labels for metrics that compare with it.
using BaselineOutputs = std::vector<Tensor>;

struct EvaluateOptions {
  int threads = 0;                            // 0: all cores
  std::optional<double> confidence = {};      // of evaluation.accuracy.confidence
  Postprocesses postprocess = {};             // of evaluation.accuracy.postprocess
  const BaselineOutputs* baseline = nullptr;  // needed by metrics with labels_are_baseline, unless this run makes it
  BaselineOutputs* keep_outputs = nullptr;    // this run is the baseline: its outputs are kept here and are the labels
  std::vector<std::size_t> positions = {};    // in which order to evaluate; empty: the loader's
  Verdict* verdict = nullptr;                 // ends the evaluation when it has failed
  Judgements* judgements = nullptr;           // what the first metric makes of every sample, where it judges samples
  Throughput throughput = {};                 // how batches are run
  Throughput* choose_throughput = nullptr;    // this run finds out what is fastest, and leaves it here
  Crew* crew = nullptr;                       // whose processes share the batches; the score is the same
  Compilations* ahead = nullptr;              // of the model, where some may have been made before
  bool tell_of_nans = true;                   // warns of samples whose inputs hold NaN
};

// Whether any of these metrics compares with the fp32 model.
bool needs_baseline(const std::vector<NamedMetric>&);

// The same score at any number of threads and processes. Throws DataError and ModelError; Interrupted when the observer
// says stop.
Score evaluate(const Model&, const DataLoader&, const std::vector<NamedMetric>&, const EvaluateOptions& = {},
               const Observer& = {});

// What a helper of the crew does when `evaluate` asks for it.
Duty evaluate_work(const nlohmann::json& order, int rank, const Model&, const DataLoader&);
inline constexpr const char* kEvaluateOrder = "evaluate";  // its order's "work"

}  // namespace lpot
