// Runs the batches of a data loader through a model: on the threads of this process, or on MPI workers as well.
// Calibration and evaluation know nothing else about parallel work.
//
//   LocalExecutor executor;
//   const std::unique_ptr<BatchSession> session = executor.open({.model = model, .loader = loader});
//   session->run({.positions = {0, 1, 2}}, collector, observer);
//
// The collector gets the batches in the order of the positions and decides when to stop. What it gets does not depend
// on the executor, the number of threads or the number of processes.
//
// If the model has a state (Model::state), a position runs after the position before it in its sequence, in this pass
// or an earlier one. Up to 16 sequences run at the same time, in this process only. With borrowed outputs, the
// collector then gets the batches in the order in which they run, which is fixed.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/data/nan_check.h"
#include "lpot/model/model.h"
#include "lpot/runtime/runner.h"

namespace lpot {

class Coordinator;

// A batch with the outputs of the model.
struct ExecutedBatch {
  std::vector<Tensor> outputs;
  std::span<const std::size_t> positions;  // of its samples, in the loader's order
  std::vector<Tensor> labels = {};         // one per sample; none if BatchProgram::with_labels is false
  std::vector<NanInput> nans = {};         // if BatchProgram::find_nans is true
  std::vector<Shape> input_shapes = {};    // of the batch as the loader returned it
  bool is_final = true;                    // false: the coordinator may run this batch again and drop this result
};

// What a session runs.
struct BatchProgram {
  Model model;
  DataLoader loader;
  RunnerOptions runner = {};
  bool with_labels = true;
  bool find_nans = false;  // searches for NaN in the inputs of every sample
};

// One pass over some of the loader's samples.
struct BatchPass {
  std::vector<std::size_t> positions;  // in the order of execution
  std::size_t samples_per_job = 1;     // how many samples a worker gets at once; at least one batch
  bool in_this_process = false;        // leaves the workers out, for example to measure a time
};

// Converts the batches of one process to bytes for the coordinator.
class BatchEncoder {
 public:
  virtual ~BatchEncoder() = default;
  // A batch that is not final may come from another thread, so encoding it must not change the encoder.
  virtual std::string encode(ExecutedBatch) = 0;
  virtual std::string summary() { return ""; }  // of all final batches of this process, sent at the end of the pass
};

// Receives the results of a pass.
class BatchCollector {
 public:
  virtual ~BatchCollector() = default;

  // The next batch of the pass. With RunnerOptions::borrow_outputs the outputs are valid until add() returns.
  virtual void add(ExecutedBatch) = 0;
  // True: the pass ends, and add() is not called again.
  virtual bool is_complete() const { return false; }

  // The rest is used only if the pass is shared with workers.
  virtual nlohmann::json worker_order() const = 0;  // "work" names what to do; workers read it in their OrderHandler
  virtual std::unique_ptr<BatchEncoder> make_encoder() const = 0;
  // add() for a batch that a BatchEncoder has encoded.
  virtual void add_encoded(std::span<const std::size_t> positions, std::string_view bytes) = 0;
  // BatchEncoder::summary() of each process, in the order of the ranks, after the last batch.
  virtual void add_summary(std::string_view) {}
};

// A model that is ready to run. Later passes reuse the compilations of earlier ones.
class BatchSession {
 public:
  virtual ~BatchSession() = default;
  // Throws the error of the first batch that fails, unless the collector is complete before it; Interrupted if the
  // observer asks to stop.
  virtual void run(const BatchPass&, BatchCollector&, const Observer&) = 0;
};

class BatchExecutor {
 public:
  virtual ~BatchExecutor() = default;
  virtual int threads(int requested) const = 0;  // of this process; 0 requests all available threads
  virtual std::unique_ptr<BatchSession> open(BatchProgram) const = 0;
};

// Uses the threads of this process.
class LocalExecutor : public BatchExecutor {
 public:
  int threads(int requested) const override;
  std::unique_ptr<BatchSession> open(BatchProgram) const override;
};

// Shares every pass between this process and the workers of a coordinator, which must outlive the executor.
class CoordinatedExecutor : public BatchExecutor {
 public:
  explicit CoordinatedExecutor(Coordinator& coordinator) : coordinator_(coordinator) {}
  int threads(int requested) const override;
  std::unique_ptr<BatchSession> open(BatchProgram) const override;

 private:
  Coordinator& coordinator_;
};

// A CoordinatedExecutor, or a LocalExecutor for nullptr.
std::unique_ptr<BatchExecutor> make_executor(Coordinator*);

}  // namespace lpot
