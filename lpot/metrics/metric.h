// Metrics are accumulators that can be merged, so that an evaluation can be cut in pieces with the same result.
//
//   std::unique_ptr<Metric> metric = make_metric(parse_component("topk: 5", metrics()));
//   metric->update(outputs, labels);
//   std::cout << metric->result() << "\n";
//
// Derive from Metric to define your own metric. Pass it to tune in TuneOptions::user. kinds.h lists what a new metric
// of the library needs.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/component.h"
#include "lpot/core/tensor.h"

namespace lpot {

// The contribution of one sample to a metric.
struct SampleScore {
  double value = 0;  // its term of the mean, at most 1
  // The score of the right answer less the best other score: positive if the prediction is right, negative if it is
  // wrong. 0: unknown.
  double margin = 0;

  bool operator==(const SampleScore&) const = default;
};

class Metric {
 public:
  virtual ~Metric() = default;

  // Adds one batch: the outputs of the model, each [count, ...], and one label per sample. Throws DataError with the
  // sample within the batch, the value and the expectation if a label is out of range or a shape does not match.
  virtual void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) = 0;

  virtual void merge(const Metric& other) = 0;        // `other` is of the same kind
  virtual double result() const = 0;                  // throws DataError if no batch was added
  virtual std::unique_ptr<Metric> fresh() const = 0;  // the same metric without any batches
  virtual bool higher_is_better() const { return true; }
  // Whether the labels are the outputs of the fp32 model (one tensor per sample) instead of those of the data set.
  virtual bool labels_are_baseline() const { return false; }
  // Whether such a metric compares the results of the postprocessing, for example texts or boxes, instead of the
  // outputs of the models.
  virtual bool compares_postprocessed() const { return false; }
  // What such a metric needs of the fp32 model's outputs for one sample of a batch. It is stored for every sample.
  virtual Tensor baseline_label(const std::vector<Tensor>& outputs, std::size_t row) const {
    return outputs.at(0).slice(row);
  }

  // Called when the fp32 model was evaluated with its own labels. Throws DataError if they cannot serve as a goal.
  virtual void check_baseline() const {}

  // Whether the outputs must be scores of classes. Evaluations then refuse models that end with an embedding, whose
  // shape is the same.
  virtual bool needs_class_scores() const { return false; }

  // Whether the result for a part of the samples says nothing about the result for all, because samples are compared
  // with each other. Such metrics are never estimated from some samples.
  virtual bool needs_all_samples() const { return false; }

  // The value of each sample, if the result of the metric is the mean over samples. An evaluation can then stop as soon
  // as its outcome is certain. Nothing for other metrics.
  virtual std::optional<std::vector<SampleScore>> sample_scores(const std::vector<Tensor>& /*outputs*/,
                                                                const std::vector<Tensor>& /*labels*/) const {
    return std::nullopt;
  }
};

// All metrics that a config can name.
const Table& metrics();

// A name that includes the parameters of a configured metric: always the value of the main parameter, and other
// parameters if they differ from the default. "topk 5", "GLUE cola", "MSE compare_label=false", "F1".
std::string metric_name(const Component&);

// Builds the metric that a config describes. Throws ConfigError.
std::unique_ptr<Metric> make_metric(const Component&);

}  // namespace lpot
