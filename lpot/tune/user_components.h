// Data, metrics, an evaluation or a strategy of the caller's own, given as objects instead of by name in the config.
//
//   tune(config, {.model = "net.onnx",
//                 .user = {.evaluation_data = pictures, .metrics = {{"worst class", metric}}}});
//
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lpot/data/dataset.h"
#include "lpot/evaluate/evaluation_function.h"
#include "lpot/evaluate/postprocess.h"
#include "lpot/metrics/metric.h"
#include "lpot/strategies/strategy.h"

namespace lpot {

struct UserMetric {
  std::string name;  // in results; tells metrics apart when a study is resumed
  std::shared_ptr<const Metric> metric;
};

// A function that scores a model by itself, in place of data and metrics.
struct UserEvaluation {
  std::string name;  // in messages; tells evaluations apart when a study is resumed
  EvaluationFunction function = {};
};

struct UserStrategy {
  std::string name;
  std::shared_ptr<const Strategy> strategy = {};
};

// Data take the place of the data set that the config names. Batch size, transforms and order stay those of the
// config's dataloader; calibration takes the evaluation's where it has none of its own.
struct UserComponents {
  std::shared_ptr<const Dataset> calibration_data = {};
  std::shared_ptr<const Dataset> evaluation_data = {};
  std::vector<UserMetric> metrics = {};  // before the config's: the first one is tuned for
  Postprocesses postprocess = {};        // behind the config's
  UserEvaluation evaluation = {};        // in place of the evaluation that the config says
  UserStrategy strategy = {};            // in place of the config's
};

}  // namespace lpot
