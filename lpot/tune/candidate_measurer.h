// Measures the models of one study: accuracy, speed compared with fp32, size, and for probes the distance of the
// outputs from the outputs of the fp32 model.
#pragma once
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/evaluate/evaluator.h"
#include "lpot/model/model.h"
#include "lpot/plan/trial.h"
#include "lpot/tune/output_probe.h"
#include "lpot/tune/speed_meter.h"

namespace lpot {

// The first sample of the data as a batch of one for the model. Throws DataError if it does not fit the model.
std::vector<Tensor> first_sample(const Model&, const DataLoader&);

class CandidateMeasurer {
 public:
  // Model and evaluator must outlive this object. Speed is measured with the first sample. Throws DataError if this
  // sample does not fit the model.
  CandidateMeasurer(const Model& fp32, Evaluator&, const DataLoader& samples, SpeedOptions = {});

  SpeedMeter& speed() { return speed_; }
  OutputProbe& probe() { return probe_; }
  void compile_with(Compilations& ahead);  // `ahead` must outlive this object

  // The times to evaluate the fp32 model and the first int8 model; 0: not evaluated in this run.
  double evaluation_seconds() const { return evaluation_seconds_; }
  double first_evaluation_seconds() const { return first_evaluation_seconds_; }

  Measurement baseline(const Observer&);               // of the fp32 model
  Measurement measure(const Model&, const Observer&);  // of an int8 model
  // The same, but the evaluation may end when it is certain that the accuracy stays below `lowest`.
  Measurement measure_unless_below(double lowest, const Candidate&, const Observer&);

 private:
  Measurement with_speed(const Model&, const Score&, std::size_t size_bytes);

  const Model& fp32_;
  Evaluator& evaluator_;
  SpeedMeter speed_;
  OutputProbe probe_;
  double evaluation_seconds_ = 0, first_evaluation_seconds_ = 0;
};

}  // namespace lpot
