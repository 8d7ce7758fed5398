#include "lpot/distributed/onnxruntime_executor.h"

#include <fmt/format.h>

#include "lpot/core/cpu.h"
#include "lpot/core/error.h"
#include "lpot/distributed/local_session.h"
#include "lpot/runtime/fit.h"

namespace lpot {
namespace {

class OnnxRuntimeSession : public BatchSession {
 public:
  OnnxRuntimeSession(std::shared_ptr<OnnxRuntime> runtime, OnnxRuntimeModel model, BatchProgram program)
      : runtime_(std::move(runtime)),
        model_(std::move(model)),
        program_(std::move(program)),
        fit_(model_.ports, program_.loader.dataset().input_naming()) {}

  void run(const BatchPass& pass, BatchCollector& collector, const Observer& observer) override {
    std::span<const std::size_t> unread(pass.positions);
    BatchStream batches = program_.loader.read(pass.positions);
    while (!collector.is_complete()) {
      observer.check_stop();
      auto batch = batches.next();
      if (!batch) return;
      LoadedBatch loaded = load_batch(std::move(*batch), program_, unread);
      unread = unread.subspan(loaded.result.positions.size());
      loaded.result.outputs = runtime_->run(model_, fit_.apply(loaded.inputs), observer);
      collector.add(std::move(loaded.result));
    }
  }

 private:
  std::shared_ptr<OnnxRuntime> runtime_;
  OnnxRuntimeModel model_;
  BatchProgram program_;
  InputFit fit_;
};

}  // namespace

OnnxRuntimeExecutor::OnnxRuntimeExecutor(std::shared_ptr<OnnxRuntime> runtime, int threads)
    : runtime_(std::move(runtime)), threads_(threads) {}

Model OnnxRuntimeExecutor::load(const std::filesystem::path& path) {
  const auto [entry, is_new] = loaded_.try_emplace(path.string());
  if (is_new) entry->second = runtime_->load(path, threads(threads_));
  return entry->second.ports;
}

int OnnxRuntimeExecutor::threads(int requested) const { return thread_count(requested); }

std::unique_ptr<BatchSession> OnnxRuntimeExecutor::open(BatchProgram program) const {
  const auto found = loaded_.find(program.model.source.string());
  if (found == loaded_.end())
    throw ModelError("onnxruntime", fmt::format("{}: the model is not loaded in ONNX Runtime; load it first",
                                                program.model.source.string()));
  if (!program.model.state.empty())
    throw ConfigError("onnxruntime", "model.state is not supported with --runtime onnxruntime; use OpenVINO");
  return std::make_unique<OnnxRuntimeSession>(runtime_, found->second, std::move(program));
}

}  // namespace lpot
