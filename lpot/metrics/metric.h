// Metrics are accumulators that can be merged, so that an evaluation can be cut in pieces with the same result.
//
//   std::unique_ptr<Metric> metric = make_metric(parse_component("topk: 5", metrics()));
//   metric->update(outputs, labels);
//   std::cout << metric->result() << "\n";
//
// Derive from Metric to define your own metric. Pass it to tune in TuneOptions::user.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/component.h"
#include "lpot/core/tensor.h"

namespace lpot {

// What a metric makes of one sample.
struct Judgement {
  double value = 0;   // its part of the mean, 0..1
  double margin = 0;  // how far the sample is from another verdict; 0: not known, or already wrong

  bool operator==(const Judgement&) const = default;
};

class Metric {
 public:
  virtual ~Metric() = default;

  // Counts one batch: the model's outputs, each [count, ...], and one label per sample. Throws DataError that names the
  // sample within the batch, the value and what was expected (a label out of range, a shape that does not fit).
  virtual void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) = 0;

  virtual void merge(const Metric& other) = 0;        // `other` is of the same kind
  virtual double result() const = 0;                  // throws DataError when nothing was counted
  virtual std::unique_ptr<Metric> fresh() const = 0;  // the same metric with nothing counted
  virtual bool higher_is_better() const { return true; }
  // The labels are the fp32 model's outputs (one tensor per sample) instead of the data set's.
  virtual bool labels_are_baseline() const { return false; }

  // For metrics whose result is the mean of one value per sample: these values, so that an evaluation may end as soon
  // as its verdict is certain. Nothing for the others.
  virtual std::optional<std::vector<Judgement>> judge(const std::vector<Tensor>& /*outputs*/,
                                                      const std::vector<Tensor>& /*labels*/) const {
    return std::nullopt;
  }
};

// Every metric that a config may name.
const Table& metrics();

// A name for a configured metric that tells it from the same one with other parameters: the value of its main parameter
// always, the others where they are not at their default. "topk 5", "GLUE cola", "MSE compare_label=false", "F1".
std::string metric_name(const Component&);

// The metric that a config describes. Throws ConfigError.
std::unique_ptr<Metric> make_metric(const Component&);

}  // namespace lpot
