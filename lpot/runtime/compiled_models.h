// A cache of models that are compiled for the shapes of one sample.
//
// Compiling a model takes as long as dozens of inferences, and the same model is often timed several times. But a
// compiled model contains a copy of its weights, so only the models in use and a few others stay compiled.
//
// Short models are compiled for one core. On several cores, the threads of a short inference spend much of their time
// waiting for each other. If other programs use the cores, these threads hardly ever run at the same time, so the
// measured time does not show the speed on a quiet machine. On one core, CPU time gives the same ratios on a quiet and
// on a busy machine.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/runtime/executable.h"

namespace lpot {

// In milliseconds. For models that take longer, the overhead of the profiler is negligible. So a model that is compiled
// with the profiler can be used for all measurements.
inline constexpr double kProfilerHides = 5;

// In milliseconds of CPU time for one inference on one core. Longer models are timed on all cores: their threads wait
// little, and on one core of many they would take too long.
inline constexpr double kShortInference = 5;

class CompiledModels {
 public:
  // `threads`: 0: all cores. Unset: the first model is timed on one core; if it is short, all models are compiled for
  // one core, otherwise for all cores.
  explicit CompiledModels(const std::vector<Tensor>& sample, std::optional<int> threads = std::nullopt);

  // Compiles the model with its own shapes if it does not accept the shapes of the sample.
  std::shared_ptr<Executable> get(const Model&, bool with_profiler);

  int threads() const { return threads_.value_or(0); }  // that models are compiled for; 0: all cores

  // The same for several models, in order. Releases all other models that are not in use.
  std::vector<std::shared_ptr<Executable>> only(const std::vector<const Model*>&, bool with_profiler);

  void release_unused(std::size_t except);  // the `except` most recently used models stay compiled

 private:
  std::shared_ptr<Executable> find(const Model&, bool with_profiler);
  std::shared_ptr<Executable> compile(const Model&, bool with_profiler, int threads) const;
  bool is_short(Executable& on_one_core) const;

  struct Entry {
    std::shared_ptr<const ov::Model> graph;
    InferencePrecision precision;
    bool has_profiler;
    std::shared_ptr<Executable> executable;
  };

  std::vector<Tensor> sample_;
  std::optional<int> threads_;
  std::deque<Entry> cache_;  // sorted by last use, the most recent at the end
};

}  // namespace lpot
