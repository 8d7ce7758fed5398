// A compiled model that runs on the CPU.
//
//   Executable run(model, {.threads = 2});
//   std::vector<Tensor> outputs = run.infer(inputs);
//
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lpot/core/clock.h"
#include "lpot/core/tensor.h"
#include "lpot/model/model.h"

namespace lpot {

struct CompileOptions {
  int threads = 0;                       // 0: all cores
  int streams = 1;                       // requests that run at the same time
  std::vector<Shape> input_shapes = {};  // static shapes, one per input; empty: the shapes of the model
  bool profile = false;                  // measure the time of every kernel
  bool borrow_outputs = false;           // finish() does not copy; its outputs are valid until the next call
  bool ahead = false;                    // compiled in the background: not included in runtime_seconds()
  std::size_t most_outputs = 512;        // a graph with more outputs is compiled in parts (parts.h); 0: never

  bool operator==(const CompileOptions&) const = default;
};

// One kernel of the CPU plug-in.
struct ExecutedOp {
  std::string name;
  std::string type;                       // "Convolution", "FullyConnected", "Reorder", ...
  std::string kernel;                     // "jit_avx512_I8", "brgconv_avx512_core_vnni_I8", ...
  std::string precision;                  // of its output: "f32", "u8", ...
  std::vector<std::string> source_names;  // friendly names of the ops that it implements
  std::size_t output_bytes = 0;           // 0 if shapes are dynamic
  double time_ms = 0;                     // of the last inference, with CompileOptions::profile
  bool is_in_body = false;                // in an If or a loop, whose kernel has the time (executed_graph.h)

  bool is_int8() const { return kernel.ends_with("_I8") || kernel.ends_with("_i8"); }
};

RuntimeSeconds runtime_seconds();
void count_as_compiling(double seconds);  // the time spent waiting for a compilation in the background

class Executable {
 public:
  // Throws ModelError if the model does not accept the shapes or does not compile.
  Executable(const Model&, const CompileOptions& = {});
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;
  ~Executable();

  // One tensor per input, in the order of the model. Throws DataError with both shapes if a tensor does not match.
  std::vector<Tensor> infer(const std::vector<Tensor>& inputs);

  // The same in two steps. At most `streams` inferences can be started before one is finished. finish() waits for the
  // oldest one; abandon() waits for all and drops their outputs.
  void start(std::vector<Tensor> inputs);
  std::vector<Tensor> finish();
  void abandon() noexcept;

  // Runs all inputs of `source` with one request per stream and passes the outputs to `sink` in the same order. Both
  // are called from this thread.
  void infer_all(const std::function<std::optional<std::vector<Tensor>>()>& source,
                 const std::function<void(std::vector<Tensor> outputs)>& sink);

  std::vector<ExecutedOp> executed_ops() const;  // the kernels in bodies of control flow come last

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lpot
