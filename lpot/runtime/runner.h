// Runs batches of any shapes through a model with all streams of the CPU.
//
// Static shapes are faster, so the model is compiled for every shape that occurs repeatedly, up to a limit. All other
// shapes use one compilation with dynamic shapes. A short last batch is padded, and so are texts if the model has an
// attention mask. Batches of different shapes run at the same time.
//
// The streams of a compilation have separate graphs, which OpenVINO 2026.4 builds concurrently and sometimes
// incorrectly. With an fp32 BERT, compiled for two streams at the start of a process, one stream gave wrong outputs in
// about one of a hundred processes. Therefore, all streams run the first batch of a compilation, and the model is
// compiled again if their outputs differ.
#pragma once
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/core/tensor.h"
#include "lpot/runtime/executable.h"
#include "lpot/runtime/fit.h"
#include "lpot/runtime/shape_dispatch.h"

namespace lpot {

// A source of models that were compiled in the background.
class Compilations {
 public:
  virtual ~Compilations() = default;
  virtual std::optional<Executable> acquire(const Model&, const CompileOptions&) = 0;  // nothing: not available
};

struct RunnerOptions {
  int threads = 0;                     // 0: all cores
  int streams = 0;                     // 0: one per thread
  bool pad_last_batch = true;          // pad a short last batch to a full batch; the outputs have no padding
  bool borrow_outputs = false;         // outputs are not copied and only valid until the sink returns
  Shapes full_batch_shapes = {};       // input shapes of a full batch; empty: those of the first batch
  Compilations* ahead = nullptr;       // tried before the model is compiled; must outlive the runner
  const Observer* observer = nullptr;  // gets messages about streams whose outputs differ; must outlive the runner
};

// A batch of stacked samples, with the state before it if the model has one (Model::state).
struct RunnerStep {
  std::vector<Tensor> inputs;
  std::vector<Tensor> state = {};  // in the order of Model::state; empty: zeros
};

// The outputs of a batch and how it was run.
struct BatchRun {
  std::vector<Tensor> outputs;
  Shapes shapes;           // of the inputs, with padding
  Shapes compiled_shapes;  // the key of the compilation (shape_dispatch.h)
};

class Runner {
 public:
  // `naming` is the naming of the data set.
  Runner(const Model&, const InputNaming& naming, RunnerOptions = {});

  // `source` returns batches of stacked samples; `sink` gets the outputs in the same order. Both are called from this
  // thread. Throws DataError and ModelError.
  using Source = std::function<std::optional<std::vector<Tensor>>()>;
  using Sink = std::function<void(std::vector<Tensor> outputs)>;
  void run(const Source& source, const Sink& sink);
  using BatchRunSink = std::function<void(BatchRun)>;
  // For a model with a state. While `is_ready` returns false, the runner finishes batches before it asks for the next.
  struct StepSource {
    std::function<bool()> is_ready;
    std::function<std::optional<RunnerStep>()> next;
  };
  void run_steps(const StepSource& source, const Sink& sink);
  void run_batches(const Source& source, const BatchRunSink& sink);

  // Runs one batch in the given compilation. Nothing if the model does not compile for these shapes.
  std::optional<BatchRun> run_in(const Shapes& compiled_shapes, const std::vector<Tensor>& batch);

  // Sets the shapes of a full batch to those of this batch, unless they are already set.
  const Shapes& set_full_batch_shapes(const std::vector<Tensor>& batch);
  const Shapes& full_batch_shapes() const { return full_batch_shapes_; }  // empty before the first batch
  const ShapeDispatch& dispatch() const { return dispatch_; }             // the decisions so far
  // Continues with the decisions of another process, including the batches that ran there.
  void set_dispatch(ShapeDispatch dispatch) { dispatch_ = std::move(dispatch); }

  std::size_t compilations() const { return compiled_.size(); }  // number of compilations in the cache

 private:
  struct Prepared {
    std::vector<Tensor> inputs;
    std::size_t rows = 0;  // without padding
  };

  Prepared prepare(const RunnerStep&);
  void run_all(const StepSource& source, const BatchRunSink& sink);
  Executable* compiled(const Shapes& compiled_shapes);
  std::pair<Executable*, Shapes> executable_for(const Shapes&);
  bool is_checked(const Shapes& compiled_shapes) const {
    return compile_options_.streams == 1 || checked_.contains(compiled_shapes);
  }
  std::vector<Tensor> check(const Shapes& compiled_shapes, const std::vector<Tensor>& inputs);
  void rethrow_static_error(const Shapes& compiled_shapes) const;
  void log(LogLevel, const std::string&) const;
  std::optional<std::vector<Tensor>> pad_rows(const std::vector<Tensor>& inputs) const;

  Model model_;
  InputFit fit_;
  CompileOptions compile_options_;
  Compilations* ahead_;
  const Observer* observer_;
  bool pads_last_batch_;
  bool any_length_;                        // padded rows may have any length
  std::map<Shapes, Executable> compiled_;  // an empty key: dynamic shapes
  std::set<Shapes> checked_;               // compilations whose streams were compared
  std::exception_ptr static_error_;        // why the model does not compile for static shapes; null: it does
  ShapeDispatch dispatch_;
  Shapes full_batch_shapes_;  // of a full batch
};

}  // namespace lpot
