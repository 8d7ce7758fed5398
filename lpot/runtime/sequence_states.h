// The states of the sequences that a streaming model is running, between their steps.
//
//   SequenceStates states(model.state, {0, 50, 100});   // sequences start at these positions
//   std::vector<Tensor> state = states.release(50);     // empty: the first step starts with zeros
//   states.store(50, outputs);                          // the outputs of this step
//   states.is_ready(51);                                // true
//
#pragma once
#include <cstddef>
#include <map>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"

namespace lpot {

class SequenceStates {
 public:
  // `starts`: positions in ascending order. Without bindings every position is ready and has no state.
  SequenceStates(std::vector<StateBinding> bindings, std::vector<std::size_t> starts);

  // Whether the step before this position has finished.
  bool is_ready(std::size_t position) const;
  // The state for this step, in the order of the bindings. Throws DataError if the step before it did not run.
  std::vector<Tensor> release(std::size_t position);
  // Copies the state out of the outputs of this step.
  void store(std::size_t position, const std::vector<Tensor>& outputs);

 private:
  bool is_start(std::size_t position) const;

  std::vector<StateBinding> bindings_;
  std::vector<std::size_t> starts_;
  std::map<std::size_t, std::vector<Tensor>> states_;  // by the position of the step that needs it
};

// Changes the order of execution so that up to 16 sequences run at the same time, one step of each in turn. The steps
// of a sequence stay in their order. The result does not depend on the number of threads.
std::vector<std::size_t> interleave_sequences(const std::vector<std::size_t>& positions,
                                              const std::vector<std::size_t>& starts);

}  // namespace lpot
