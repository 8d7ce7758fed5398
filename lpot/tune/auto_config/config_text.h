// Writes the configuration that auto_config found as a YAML file with comments.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/tune/auto_config/output_role.h"
#include "lpot/tune/auto_config/sample_outputs.h"

namespace lpot {

struct LoaderText {
  DataText data = {};
  std::size_t batch_size = 1;
  bool shuffle = false;
  std::optional<Subset> subset = {};
};

struct MetricText {
  std::string metric;  // "topk: 1"
  Criterion criterion;
  std::string meaning;           // in words
  std::string postprocess = {};  // "LabelShift: 1"; "": none
};

struct ConfigText {
  std::vector<std::string> comments;  // lines at the top
  std::string model_name;
  std::string framework;
  LoaderText calibration = {}, evaluation = {};
  std::size_t calibration_samples = 0;
  MetricText metric = {};
};

std::string to_yaml(const ConfigText&);

// The metric for outputs: top-1 or the accuracy with labels, if they are scores of classes; else a metric that compares
// with the fp32 model. Plain values get the mean squared error, with a goal of `max_loss` times the variance of the
// output.
struct MetricRequest {
  bool has_labels = false;
  double max_loss = 0.01;
  double variance = 0;  // of the output
};
MetricText choose_metric(const OutputRole&, const MetricRequest&);

// How the samples of one data set are divided: up to 300 for calibration, at most a fifth unless there are very few.
// Nothing if there are too few to divide.
std::optional<double> calibration_share(std::size_t samples);

}  // namespace lpot
