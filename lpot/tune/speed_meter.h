// Measures the speed of models of one study, each interleaved with fp32 in one process. Times are lower quartiles: on a
// busy machine the median of a few dozen runs of one model may be ten times that of the other.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/runtime/compiled_models.h"

namespace lpot {

struct SpeedOptions {
  double seconds = 0.5;  // per model; less where an evaluation is short
  int warmup = 5;
};

struct Speed {
  double latency_ms = 0;
  double speedup = 1;               // against fp32 in the same run
  std::size_t footprint_bytes = 0;  // weights and activations while it runs
};

class SpeedMeter {
 public:
  // `sample`: one sample as the model's inputs. The fp32 model must outlive it.
  SpeedMeter(const Model& fp32, std::vector<Tensor> sample, SpeedOptions = {});

  const std::vector<Tensor>& sample() const { return sample_; }
  CompiledModels& compiled() { return compiled_; }  // for the sample; others that time models reuse them

  // Sets the time of a measurement to a small share of the time of fp32's evaluation. Short models are timed without
  // the profiler, whose cost would be visible.
  void adapt_to(double evaluation_seconds, std::size_t samples);

  enum class Effort { Full, Brief };  // Brief: the result decides nothing
  Speed measure(const Model&, Effort);

 private:
  Speed measure_alone(const Model&, const struct LatencyOptions&);

  const Model& fp32_;
  std::vector<Tensor> sample_;
  SpeedOptions options_;
  CompiledModels compiled_;
  bool with_profiler_ = false;                   // what is compiled for others who profile serves here too
  std::shared_ptr<Executable> fp32_executable_;  // none of a large model,
  double fp32_ms_ = 0;                           // whose time is measured once
};

}  // namespace lpot
