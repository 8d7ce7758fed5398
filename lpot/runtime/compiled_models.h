// A cache of models that are compiled for the shapes of one sample.
//
// Compiling a model takes as long as dozens of inferences, and the same model is often timed several times. But a
// compiled model contains a copy of its weights, so only the models in use and a few others stay compiled.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/runtime/executable.h"

namespace lpot {

// In milliseconds. The overhead of the profiler is negligible for models that take longer, so that a model compiled
// with the profiler can be used for all measurements.
inline constexpr double kProfilerHides = 5;

class CompiledModels {
 public:
  explicit CompiledModels(const std::vector<Tensor>& sample, int threads = 0);

  // Compiles the model with its own shapes if it does not accept the shapes of the sample.
  std::shared_ptr<Executable> get(const Model&, bool with_profiler);

  // The same for several models, in order. Releases all other models that are not in use.
  std::vector<std::shared_ptr<Executable>> only(const std::vector<const Model*>&, bool with_profiler);

  void release_unused(std::size_t except);  // the `except` most recently used models stay compiled

 private:
  std::shared_ptr<Executable> find(const Model&, bool with_profiler);

  struct Entry {
    std::shared_ptr<const ov::Model> graph;
    InferencePrecision precision;
    bool has_profiler;
    std::shared_ptr<Executable> executable;
  };

  std::vector<Shape> shapes_;
  int threads_;
  std::deque<Entry> cache_;  // sorted by last use, the most recent at the end
};

}  // namespace lpot
