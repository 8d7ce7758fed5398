// Models that take turns in one process, timed kernel by kernel and as a whole.
//
// Of large models one is compiled at a time, and does not take turns. A model that runs with the profiler on is slower
// by a little for every kernel: short models, where that shows, are compiled without it to be timed as a whole.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/runtime/compiled_models.h"

namespace lpot {

using Times = std::map<std::string, double>;  // milliseconds by op
inline const std::string kAllKernels;         // "": their sum, whoever they belong to

class InterleavedTimer {
 public:
  // `owners`: see find_owners. The references must outlive it.
  InterleavedTimer(CompiledModels&, const std::vector<Tensor>& inputs, const std::map<std::string, std::string>& owners,
                   const Observer&);

  // The ops' times in two models, lower quartiles, within about so many seconds. The second is made when it is needed.
  std::vector<Times> profile(const Model& first, const std::function<const Model&()>& second, double seconds);

  // Lower quartiles of whole models in milliseconds.
  std::vector<double> time_whole(const std::vector<const Model*>&, double seconds);

 private:
  using Executables = std::vector<std::shared_ptr<Executable>>;

  std::vector<Times> profile(const Executables&, double seconds);

  CompiledModels& compiled_;
  const std::vector<Tensor>& inputs_;
  const std::map<std::string, std::string>& owners_;
  const Observer& observer_;
  double kernels_ms_ = 0;  // of the model that was profiled last
};

}  // namespace lpot
