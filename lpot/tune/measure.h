// Measures models of one study: accuracy on the evaluation data, speed against fp32, size.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/evaluate/evaluate.h"
#include "lpot/model/model.h"
#include "lpot/runtime/executable.h"
#include "lpot/store/trial.h"

namespace lpot {

struct MeasureOptions {
  double latency_seconds = 0.5;  // per model, interleaved with fp32
  int warmup = 5;
  std::vector<Component> postprocess = {};
};

class Meter {
 public:
  // The references must outlive the meter.
  Meter(const Model& fp32, const DataLoader&, const std::vector<NamedMetric>&, MeasureOptions = {});

  Measured baseline(const Observer&);               // of the fp32 model
  Measured measure(const Model&, const Observer&);  // of an int8 model

  // Outputs that a metric compares with are needed again after a resume.
  void prepare_baseline_outputs(const Observer&);

 private:
  Score score(const Model&, const Observer&, bool is_baseline);
  void measure_speed(const Model&, Measured&);
  Executable compile(const Model&) const;

  const Model& fp32_;
  const DataLoader& loader_;
  const std::vector<NamedMetric>& metrics_;
  MeasureOptions options_;
  BaselineOutputs baseline_outputs_;
  std::vector<Tensor> sample_;  // one sample as the model's inputs
  std::unique_ptr<Executable> fp32_executable_;
};

}  // namespace lpot
