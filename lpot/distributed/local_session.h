// A session on the threads of this process.
//
//   LocalSession session({.model = model, .loader = loader});
//   session.run({.positions = {0, 1, 2}}, collector, observer);
//
#pragma once
#include "lpot/distributed/batch_executor.h"
#include "lpot/runtime/sequence_states.h"

namespace lpot {

class LocalSession : public BatchSession {
 public:
  // Throws ConfigError if the model has a state and the loader does not read samples one by one in order.
  explicit LocalSession(BatchProgram);
  void run(const BatchPass&, BatchCollector&, const Observer&) override;

  const BatchProgram& program() const { return program_; }
  Runner& runner() { return runner_; }

 private:
  BatchProgram program_;
  Runner runner_;
  SequenceStates states_;  // a later pass may continue sequences of an earlier one
};

// A batch that has been read but not run.
struct LoadedBatch {
  std::vector<Tensor> inputs;
  ExecutedBatch result;
};

// `positions` starts with the positions of the batch's samples.
LoadedBatch load_batch(Batch, const BatchProgram&, std::span<const std::size_t> positions);

}  // namespace lpot
