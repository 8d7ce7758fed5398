// Runs batches through a model as fast as the machine allows, whatever shapes they come in.
//
// Static shapes are faster, so every shape that comes again is compiled for, up to a few; an open compilation serves
// the rest. A short last batch is filled up instead, as are texts where the model has a mask for them. Batches of
// different shapes run at the same time.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/runtime/executable.h"
#include "lpot/runtime/fit.h"

namespace lpot {

struct RunnerOptions {
  int threads = 0;      // 0: all cores
  int streams = 0;      // 0: one per thread
  bool fill_up = true;  // a short last batch is run in the usual shape, with rows that are cut from the outputs again
  bool borrow_outputs = false;  // outputs are not copied, and last until the sink returns
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

  std::size_t compilations() const { return compiled_.size(); }  // that are kept

 private:
  using Shapes = std::vector<Shape>;

  Executable& executable_for(Shapes);
  bool is_worth_compiling(const Shapes&);
  std::optional<std::vector<Tensor>> fill_up(const std::vector<Tensor>& inputs) const;

  Model model_;
  InputFit fit_;
  CompileOptions compile_options_;
  bool may_fill_up_;
  bool any_length_;                        // of rows that are filled up
  std::map<Shapes, Executable> compiled_;  // an empty key: dynamic shapes
  std::set<Shapes> seen_;                  // that came once
  bool only_dynamic_ = false;              // the model does not compile for static shapes
  Shapes usual_;                           // of the first batch
};

}  // namespace lpot
