// Runs ONNX models in ONNX Runtime: a worker process in Python, with pipes for requests and tensors.
//
//   const auto runtime = std::make_shared<OnnxRuntime>(start_onnxruntime());
//   const OnnxRuntimeModel model = runtime->load("best/model.onnx", 2);
//   const std::vector<Tensor> outputs = runtime->run(model, inputs);
//
// The worker (onnxruntime_worker.py, which documents the messages) is part of this library. It runs until the object is
// destroyed, and ends when this process ends. Threads of ONNX Runtime do not spin while they wait.
#pragma once
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/core/process.h"
#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/runtime/comparison.h"

namespace lpot {

// A loaded model. `ports` has its inputs and outputs but no ops, for InputFit and generate_inputs.
struct OnnxRuntimeModel {
  std::size_t number = 0;
  Model ports;
};

class OnnxRuntime {
 public:
  // `command` starts the worker. Throws ConfigError if it does not start, or if that Python has no ONNX Runtime.
  explicit OnnxRuntime(const std::vector<std::string>& command);

  const std::string& version() const { return version_; }
  const std::string& python() const { return python_; }  // path of the interpreter
  pid_t process() const { return process_->id(); }

  // Each function throws ModelError with the message of ONNX Runtime, also if the worker has crashed; Interrupted if
  // the observer asks to stop. `threads` of each inference; 0: ONNX Runtime's default.
  OnnxRuntimeModel load(const std::filesystem::path&, int threads, const Observer& = {});
  std::vector<Tensor> run(const OnnxRuntimeModel&, const std::vector<Tensor>& inputs, const Observer& = {});
  void add_timed_batch(const OnnxRuntimeModel&, const std::vector<Tensor>& inputs);
  BlockRuns time(const OnnxRuntimeModel&, const BlockLimits&);  // with the batches of add_timed_batch, in rotation

 private:
  struct Answer;
  Answer request(const nlohmann::json& line, const std::vector<Tensor>& tensors, const std::string& place,
                 const Observer& observer);
  Answer read_answer(const std::string& place, const Observer& observer);

  std::unique_ptr<Process> process_;
  std::string version_, python_;
};

// A worker in the first Python that can import ONNX Runtime:
// - LPOT_ONNXRUNTIME_PYTHON, if it is set; no other Python is tried then
// - `.venv` of the source tree that this program was built in
// - the Python that runs the installed package
// - python3
// Throws ConfigError with the reasons for all of them.
OnnxRuntime start_onnxruntime();

// A model that is timed in the worker. Both must outlive the result.
std::unique_ptr<BlockTimer> onnxruntime_timer(OnnxRuntime&, const OnnxRuntimeModel&);

}  // namespace lpot
