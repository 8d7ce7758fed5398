// Models compiled for the shapes of one sample, found again while they are kept.
//
// To compile a model takes as long as dozens of inferences, and what is timed op by op is soon timed as a whole and
// then against others. A compiled model holds its weights once more, though: whoever needs one holds it, and of those
// that nobody holds a few stay.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/runtime/executable.h"

namespace lpot {

// Milliseconds: a model that takes as long is hardly slower with the profiler on, so that one compiled with it serves
// for everything.
inline constexpr double kProfilerHides = 5;

class CompiledModels {
 public:
  explicit CompiledModels(const std::vector<Tensor>& sample, int threads = 0);

  // A model that cannot be given the sample's shapes is compiled as it is.
  std::shared_ptr<Executable> get(const Model&, bool with_profiler);

  // The same for several, in order; of all others, only those that somebody holds stay compiled.
  std::vector<std::shared_ptr<Executable>> only(const std::vector<const Model*>&, bool with_profiler);

  void keep(std::size_t count);  // of those that nobody holds, the ones used last

 private:
  std::shared_ptr<Executable> find(const Model&, bool with_profiler);

  struct Entry {
    std::shared_ptr<const ov::Model> graph;
    bool has_profiler;
    std::shared_ptr<Executable> executable;
  };

  std::vector<Shape> shapes_;
  int threads_;
  std::deque<Entry> cache_;  // the one that was used last at the end
};

}  // namespace lpot
