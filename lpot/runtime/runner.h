// Runs batches through a model as fast as the machine allows, whatever shapes they come in.
//
// Static shapes are faster, so every shape that comes again is compiled for, up to a few; an open compilation serves
// the rest. A short last batch is filled up instead, as are texts where the model has a mask for them. Batches of
// different shapes run at the same time.
//
// Streams of one compilation have graphs of their own, made at the same time, and OpenVINO 2026.4 sometimes makes a
// wrong one: a BERT in fp32, compiled for two streams as the first thing of a process, gave the answers of another
// network in one of them, in about one of a hundred processes. So all streams run the first batch of a compilation, and
// where they do not agree it is made anew.
#pragma once
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

// Compilations that were made while something else ran.
class Compilations {
 public:
  virtual ~Compilations() = default;
  virtual std::optional<Executable> take(const Model&, const CompileOptions&) = 0;  // nothing: there is none
};

struct RunnerOptions {
  int threads = 0;      // 0: all cores
  int streams = 0;      // 0: one per thread
  bool fill_up = true;  // a short last batch is run in the usual shape, with rows that are cut from the outputs again
  bool borrow_outputs = false;         // outputs are not copied, and last until the sink returns
  Shapes usual = {};                   // of the inputs of a whole batch; none: those of the first batch that comes
  Compilations* ahead = nullptr;       // asked before anything is compiled; must outlive the runner
  const Observer* observer = nullptr;  // is told of streams that do not agree; must outlive the runner
};

// What became of a batch.
struct BatchRun {
  std::vector<Tensor> outputs;
  Shapes shapes;  // that it ran with
  Shapes route;   // which compilation it ran in (routes.h)
};

class Runner {
 public:
  // `naming`: the data set's.
  Runner(const Model&, const InputNaming& naming, RunnerOptions = {});

  // `source` yields batches of stacked samples; `sink` gets the outputs of each in the same order. Both are called from
  // this thread. Throws DataError and ModelError.
  using Source = std::function<std::optional<std::vector<Tensor>>()>;
  using Sink = std::function<void(std::vector<Tensor> outputs)>;
  void run(const Source& source, const Sink& sink);
  using BatchRunSink = std::function<void(BatchRun)>;
  void run_telling_how(const Source& source, const BatchRunSink& sink);

  // One batch in a compilation that somebody else chose. Nothing when the model does not compile for that.
  std::optional<BatchRun> run_in(const Shapes& route, const std::vector<Tensor>& batch);

  // The shapes of the first of these batches that a model would run with; they become the usual ones.
  const Shapes& usual_from(const std::vector<Tensor>& batch);
  const Shapes& usual() const { return usual_; }               // none as long as none came
  const ShapeDispatch& dispatch() const { return dispatch_; }  // as far as they are decided
  void go_on_from(ShapeDispatch dispatch) {
    dispatch_ = std::move(dispatch);
  }  // batches that ran elsewhere count as seen

  std::size_t compilations() const { return compiled_.size(); }  // that are kept

 private:
  struct Prepared {
    std::vector<Tensor> inputs;
    std::size_t rows = 0;  // of the batch; the others are cut from the outputs again
  };

  Prepared prepare(const std::vector<Tensor>& batch);
  Executable* compiled(const Shapes& route);
  std::pair<Executable*, Shapes> executable_for(const Shapes&);
  bool is_checked(const Shapes& route) const { return compile_options_.streams == 1 || checked_.contains(route); }
  std::vector<Tensor> check(const Shapes& route, const std::vector<Tensor>& inputs);
  void tell(LogLevel, const std::string&) const;
  std::optional<std::vector<Tensor>> fill_up(const std::vector<Tensor>& inputs) const;

  Model model_;
  InputFit fit_;
  CompileOptions compile_options_;
  Compilations* ahead_;
  const Observer* observer_;
  bool may_fill_up_;
  bool any_length_;                        // of rows that are filled up
  std::map<Shapes, Executable> compiled_;  // an empty key: dynamic shapes
  std::set<Shapes> checked_;               // of these: the streams agree, or never will
  ShapeDispatch dispatch_;
  Shapes usual_;  // of a whole batch
};

}  // namespace lpot
