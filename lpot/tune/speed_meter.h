// Measures the speed of models of one study, each interleaved with fp32 in one process (runtime/comparison.h). Short
// models are timed on one core, long ones on all cores (runtime/compiled_models.h).
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/runtime/comparison.h"
#include "lpot/runtime/compiled_models.h"

namespace lpot {

struct SpeedOptions {
  double seconds = 0.5;  // per model; less if an evaluation is short
  int warmup = 5;
};

struct Speed {
  double latency_ms = 0;            // lower quartile
  TimeRatio speedup;                // against fp32 in the same run
  TimeRatio vs_default;             // against the model without int8 in the runtime's default precision; 0 blocks: f32
  int cores = 0;                    // that the models ran on; 0: all
  std::size_t footprint_bytes = 0;  // weights and activations while it runs
};

class SpeedMeter {
 public:
  // `sample`: one sample as the model's inputs. The fp32 model must outlive this object.
  SpeedMeter(const Model& fp32, std::vector<Tensor> sample, SpeedOptions = {});

  const std::vector<Tensor>& sample() const { return sample_; }
  CompiledModels& compiled() { return compiled_; }  // compiled for the sample; other measurements reuse them
  std::shared_ptr<Executable> compile(const Model& model) { return compiled_.get(model, with_profiler_); }

  // Sets the time of a measurement to a small fraction of the time of an fp32 evaluation. A measurement takes longer
  // only if its result is uncertain, for example on a busy machine. Fast models are timed without the profiler, because
  // its overhead would be noticeable.
  void adapt_to(double evaluation_seconds, std::size_t samples);

  enum class Effort { Full, Brief };  // Brief: the result is only shown, no decision depends on it
  Speed measure(const Model&, Effort);

  // The speeds of several models against fp32, all interleaved. Large models are compared one after another.
  std::vector<TimeRatio> compare(const std::vector<Model>&);

 private:
  ComparisonOptions full_effort() const;
  Speed measure_alone(const Model&, const ComparisonOptions&);
  bool has_other_default() const { return default_.precision != InferencePrecision::F32; }

  const Model& fp32_;
  Model default_;  // the same in the default precision of the runtime
  std::vector<Tensor> sample_;
  SpeedOptions options_;
  CompiledModels compiled_;
  bool with_profiler_ = false;  // use compilations that other measurements profile
  std::shared_ptr<Executable> fp32_executable_, default_executable_;  // null for large models
  std::optional<Comparison> fp32_times_, default_times_;              // of large models: measured once
};

}  // namespace lpot
