// Writes the configuration that auto_config found as a YAML file with comments.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/tune/auto_config/sample_outputs.h"

namespace lpot {

struct LoaderText {
  DataText data = {};
  std::size_t batch_size = 1;
  bool shuffle = false;
  std::optional<Subset> subset = {};
};

struct MetricText {
  std::string metric;            // "topk: 1"
  std::string criterion;         // "relative: 0.01"
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

// The metric for outputs: top-1 with labels; else the agreement of predicted classes with the fp32 model; else the mean
// squared error against the fp32 model, with a goal of `max_loss` times the variance of the output.
MetricText choose_metric(const SampleOutputs&, bool has_labels, double max_loss);

// How the samples of one data set are divided: up to 300 for calibration, at most a fifth unless there are very few.
// Nothing if there are too few to divide.
std::optional<double> calibration_share(std::size_t samples);

}  // namespace lpot
