// User-defined data, metrics, evaluation or strategy: objects instead of names in the config.
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
  std::string name;  // in results; identifies the metric when a study is resumed
  std::shared_ptr<const Metric> metric;
};

// A function that returns the accuracy of a model. It replaces data and metrics.
struct UserEvaluation {
  std::string name;  // in messages; identifies the function when a study is resumed
  EvaluationFunction function = {};
};

struct UserStrategy {
  std::string name;
  std::shared_ptr<const Strategy> strategy = {};
};

// The data replace the data set of the config. Batch size, transforms and order are those of the dataloader in the
// config. Without calibration_data, calibration uses evaluation_data.
struct UserComponents {
  std::shared_ptr<const Dataset> calibration_data = {};
  std::shared_ptr<const Dataset> evaluation_data = {};
  std::vector<UserMetric> metrics = {};  // come before those of the config; tuning uses the first metric
  Postprocesses postprocess = {};        // applied after those of the config
  UserEvaluation evaluation = {};        // replaces the evaluation of the config
  UserStrategy strategy = {};            // replaces the strategy of the config
};

}  // namespace lpot
