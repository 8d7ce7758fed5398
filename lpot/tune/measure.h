// Measures models of one study: accuracy as the evaluator scores it, speed against fp32, size. Times are lower
// quartiles: on a busy machine, the median of a few dozen runs of one model may be ten times that of the other.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/evaluate/evaluator.h"
#include "lpot/model/model.h"
#include "lpot/runtime/compiled_models.h"
#include "lpot/runtime/runner.h"
#include "lpot/store/trial.h"
#include "lpot/tune/distance.h"

namespace lpot {

struct MeasureOptions {
  double latency_seconds = 0.5;  // per model, interleaved with fp32; less where an evaluation is short
  int warmup = 5;
};

// The first sample of the data as the model's inputs, a batch of one. Throws DataError when it does not fit.
std::vector<Tensor> first_sample(const Model&, const DataLoader&);

class Meter {
 public:
  // The references must outlive the meter. The first of the samples is what speed is measured with; throws DataError
  // when it does not fit the model.
  Meter(const Model& fp32, Evaluator&, const DataLoader& samples, MeasureOptions = {});

  const std::vector<Tensor>& sample() const { return sample_; }  // what speed is measured with
  CompiledModels& compiled() { return compiled_; }               // for the sample
  void compile_with(Compilations& ahead) { ahead_ = &ahead; }    // models whose outputs are compared
  // Of fp32 and of the first int8 model; 0: not evaluated in this run.
  double evaluation_seconds() const { return evaluation_seconds_; }
  double first_evaluation_seconds() const { return first_evaluation_seconds_; }
  Measured baseline(const Observer&);               // of the fp32 model
  Measured measure(const Model&, const Observer&);  // of an int8 model
  // The same, but the evaluation may end when it is certain that the accuracy stays below `lowest`.
  Measured measure_unless_below(double lowest, const Model&, const Observer&);

  double distance_from_fp32(const Model&, DistanceKind, const Observer&);  // on a few samples
  std::size_t probe_samples() const { return probe_positions_.size(); }

 private:
  Measured measured(const Model&, const Score&, std::size_t size_bytes);
  void measure_speed(const Model&, Measured&, bool briefly);
  Outputs probe_outputs(const Model&, const Observer&) const;

  const Model& fp32_;
  Evaluator& evaluator_;
  MeasureOptions options_;
  double evaluation_seconds_ = 0, first_evaluation_seconds_ = 0;
  DataLoader samples_;
  std::vector<Tensor> sample_;  // one sample as the model's inputs
  CompiledModels compiled_;
  bool with_profiler_ = false;                   // what is compiled for others who profile serves here too
  std::shared_ptr<Executable> fp32_executable_;  // none of a large model,
  double fp32_ms_ = 0;                           // whose time is taken once
  Compilations* ahead_ = nullptr;
  std::vector<std::size_t> probe_positions_;
  Outputs fp32_outputs_;  // of these; made when they are needed
};

}  // namespace lpot
