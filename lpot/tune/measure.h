// Measures models of one study: accuracy as the evaluator scores it, speed against fp32, size.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/evaluate/evaluator.h"
#include "lpot/model/model.h"
#include "lpot/runtime/executable.h"
#include "lpot/store/trial.h"

namespace lpot {

struct MeasureOptions {
  double latency_seconds = 0.5;  // per model, interleaved with fp32
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
  Measured baseline(const Observer&);                            // of the fp32 model
  Measured measure(const Model&, const Observer&);               // of an int8 model

 private:
  Measured measured(const Model&, const Score&, std::size_t size_bytes);
  void measure_speed(const Model&, Measured&);
  Executable compile(const Model&) const;

  const Model& fp32_;
  Evaluator& evaluator_;
  MeasureOptions options_;
  std::vector<Tensor> sample_;  // one sample as the model's inputs
  std::unique_ptr<Executable> fp32_executable_;
};

}  // namespace lpot
