// Models that take turns in one process, timed kernel by kernel and as a whole.
//
// A compiled model holds its weights once more, so two are kept from one comparison to the next, and of large models
// there is one at a time, which does not take turns.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/runtime/executable.h"

namespace lpot {

using Times = std::map<std::string, double>;  // milliseconds by op
inline const std::string kAllKernels;         // "": their sum, whoever they belong to

class Turns {
 public:
  // `owners`: see find_owners. The references must outlive it.
  Turns(const std::vector<Tensor>& inputs, const std::map<std::string, std::string>& owners, int threads,
        const Observer&);

  // Medians of the ops' times in two models, within about so many seconds. The second is made when it is needed.
  std::vector<Times> profile(const Model& first, const std::function<const Model&()>& second, double seconds);

  // Medians of whole models in milliseconds.
  std::vector<double> time_whole(const std::vector<const Model*>&, double seconds);

 private:
  struct Kept {
    std::shared_ptr<const ov::Model> graph;
    Executable executable;
  };

  // Beside it, at most `others` stay compiled, those that were used last.
  Executable& compiled(const Model&, std::size_t others);
  std::vector<Times> profile(const std::vector<Executable*>&, double seconds);

  const std::vector<Tensor>& inputs_;
  const std::map<std::string, std::string>& owners_;
  int threads_;
  const Observer& observer_;
  std::deque<Kept> kept_;  // the one that was used last at the end
};

}  // namespace lpot
