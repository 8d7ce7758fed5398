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
  std::vector<Shape> input_shapes = {};  // static shapes, one per input; empty: as the model has them
  bool profile = false;                  // count the time of every kernel
  bool borrow_outputs = false;           // finish() does not copy: its outputs last until the next call
  bool ahead = false;                    // while something else runs: not counted among runtime_seconds()
  std::size_t most_outputs = 512;        // a graph with more is compiled in parts (parts.h); 0: never

  bool operator==(const CompileOptions&) const = default;
};

// One kernel as the plug-in runs it.
struct ExecutedOp {
  std::string name;
  std::string type;                       // "Convolution", "FullyConnected", "Reorder", ...
  std::string kernel;                     // "jit_avx512_I8", "brgconv_avx512_core_vnni_I8", ...
  std::string precision;                  // of its output: "f32", "u8", ...
  std::vector<std::string> source_names;  // friendly names of the ops it came from
  std::size_t output_bytes = 0;           // 0 where shapes are dynamic
  double time_ms = 0;                     // of the last inference, with CompileOptions::profile

  bool is_int8() const { return kernel.ends_with("_I8") || kernel.ends_with("_i8"); }
};

RuntimeSeconds runtime_seconds();
void count_as_compiling(double seconds);  // spent in waiting for a compilation that was made ahead

class Executable {
 public:
  // Throws ModelError: shapes that do not fit, a model that does not compile.
  Executable(const Model&, const CompileOptions& = {});
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;
  ~Executable();

  // One tensor per input, in the model's order. Throws DataError naming both sides when one does not fit.
  std::vector<Tensor> infer(const std::vector<Tensor>& inputs);

  // The same in two steps: as many inferences may be started before one is finished as there are streams. finish()
  // waits for the one that was started first; abandon() for all of them, whose outputs are lost.
  void start(std::vector<Tensor> inputs);
  std::vector<Tensor> finish();
  void abandon() noexcept;

  // Runs everything that `source` yields, as many requests at once as there are streams, and hands each outputs to
  // `sink` in the source's order. Both are called from this thread.
  void infer_all(const std::function<std::optional<std::vector<Tensor>>()>& source,
                 const std::function<void(std::vector<Tensor> outputs)>& sink);

  std::vector<ExecutedOp> executed_ops() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lpot
