// Runs batches in ONNX Runtime instead of OpenVINO, so that an evaluation uses the same data, metrics and
// postprocessing.
//
//   auto runtime = std::make_shared<OnnxRuntime>(start_onnxruntime());
//   EvaluateOptions options;
//   options.executor = std::make_shared<OnnxRuntimeExecutor>(runtime, 2);
//
// The models of its programs are those of OnnxRuntimeExecutor::load.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "lpot/distributed/batch_executor.h"
#include "lpot/runtime/onnxruntime.h"

namespace lpot {

class OnnxRuntimeExecutor : public BatchExecutor {
 public:
  OnnxRuntimeExecutor(std::shared_ptr<OnnxRuntime> runtime, int threads);

  // The inputs and outputs of a model, which is loaded into the worker. Throws ModelError.
  Model load(const std::filesystem::path&);

  int threads(int requested) const override;
  // Throws ModelError for a model that `load` has not loaded, and ConfigError for a model with a state.
  std::unique_ptr<BatchSession> open(BatchProgram) const override;

 private:
  std::shared_ptr<OnnxRuntime> runtime_;
  int threads_;
  std::map<std::string, OnnxRuntimeModel> loaded_;  // by path
};

}  // namespace lpot
