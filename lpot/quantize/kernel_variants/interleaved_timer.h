// Times models per kernel and as a whole. The models run alternately in one process, so that other load affects all of
// them equally.
//
// Large models are compiled and run one at a time instead. The profiler slows every kernel down a little. This matters
// for short models, so they are compiled without it for whole-model timing.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/runtime/comparison.h"
#include "lpot/runtime/compiled_models.h"

namespace lpot {

using Times = std::map<std::string, double>;  // milliseconds by op
inline const std::string kAllKernels;         // key "": the sum of all kernels, also those without an owner

class InterleavedTimer {
 public:
  // `owners`: see find_owners. The arguments must outlive this object.
  InterleavedTimer(CompiledModels&, const std::vector<Tensor>& inputs, const std::map<std::string, std::string>& owners,
                   const Observer&);

  // The lower quartile of each op's time in two models, measured for about `seconds`. `second` is called when the
  // second model is needed.
  std::vector<Times> profile(const Model& first, const std::function<const Model&()>& second, double seconds);

  // Compares whole models. If their ratios are uncertain, this takes up to five times `seconds`.
  Comparison compare_whole(const std::vector<const Model*>&, double seconds);

 private:
  using Executables = std::vector<std::shared_ptr<Executable>>;

  std::vector<Times> profile(const Executables&, double seconds);

  CompiledModels& compiled_;
  const std::vector<Tensor>& inputs_;
  const std::map<std::string, std::string>& owners_;
  const Observer& observer_;
  double kernels_ms_ = 0;  // of the last profiled model
};

}  // namespace lpot
