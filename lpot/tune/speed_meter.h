// Measures the speed of the models of one study. Each model runs alternately with the fp32 model in one process. Times
// are lower quartiles: on a busy machine, the medians of two equally fast models may differ by a factor of ten.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/runtime/compiled_models.h"

namespace lpot {

struct SpeedOptions {
  double seconds = 0.5;  // per model; less if an evaluation is short
  int warmup = 5;
};

struct Speed {
  double latency_ms = 0;
  double speedup = 1;               // against fp32 in the same run
  std::size_t footprint_bytes = 0;  // weights and activations while it runs
};

class SpeedMeter {
 public:
  // `sample`: one sample as the model's inputs. The fp32 model must outlive this object.
  SpeedMeter(const Model& fp32, std::vector<Tensor> sample, SpeedOptions = {});

  const std::vector<Tensor>& sample() const { return sample_; }
  CompiledModels& compiled() { return compiled_; }  // compiled for the sample; other measurements reuse them

  // Sets the time of a measurement to a small fraction of the time of an fp32 evaluation. Fast models are timed without
  // the profiler, because its overhead would be noticeable.
  void adapt_to(double evaluation_seconds, std::size_t samples);

  enum class Effort { Full, Brief };  // Brief: the result is only shown, no decision depends on it
  Speed measure(const Model&, Effort);

 private:
  Speed measure_alone(const Model&, const struct LatencyOptions&);

  const Model& fp32_;
  std::vector<Tensor> sample_;
  SpeedOptions options_;
  CompiledModels compiled_;
  bool with_profiler_ = false;                   // use compilations that other measurements profile
  std::shared_ptr<Executable> fp32_executable_;  // null for large models,
  double fp32_ms_ = 0;                           // whose latency is measured once
};

}  // namespace lpot
