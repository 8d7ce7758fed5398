// Adds the batches of one evaluation to all metrics.
//
//   Accumulator accumulator(metrics, options, loader.size());
//   accumulator.add(positions, {outputs, labels});
//   Evaluation evaluation = accumulator.result(loader.size());
//
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "lpot/evaluate/evaluate.h"

namespace lpot {

class Accumulator {
 public:
  // `size`: number of samples of the loader. The options must outlive this object.
  Accumulator(const std::vector<NamedMetric>&, const EvaluateOptions&, std::size_t size);

  // `positions`: of the batch's samples in the loader's order. Throws DataError with the names of the samples.
  void add(std::span<const std::size_t> positions, BatchResult);

  std::size_t added() const { return samples_; }   // number of samples
  bool has_failed() const { return has_failed_; }  // the goal is out of reach; no further samples are needed
  // The result without time and throughput. `expected`: the number of samples of a complete evaluation.
  Evaluation result(std::size_t expected);

 private:
  bool compares_raw() const;
  void store_baseline(const std::vector<Tensor>& raw, const std::vector<Tensor>& postprocessed, std::size_t count);
  std::vector<Tensor> baseline_labels(std::span<const std::size_t> positions, std::size_t number) const;
  void add_sample_scores(const BatchResult&, std::span<const std::size_t> positions);
  void add_known(const EvaluatedSamples&);
  void add_sample_score(std::size_t position, const SampleScore&);

  const EvaluateOptions& options_;
  std::vector<NamedMetric> totals_;
  std::optional<Verdict> verdict_;
  SampleScores sample_scores_;
  BaselineOutputs outputs_;
  std::size_t samples_ = 0;
  bool has_failed_ = false;
};

}  // namespace lpot
