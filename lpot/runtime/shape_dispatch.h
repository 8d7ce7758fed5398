// Which compilation of a model each batch runs in: one for its very shapes, or the open one, which takes any. It hangs
// on the shapes of the batches before it and on nothing else, so processes that share the batches can agree on it.
#pragma once
#include <set>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"

namespace lpot {

using Shapes = std::vector<Shape>;  // of a model's inputs

class ShapeDispatch {
 public:
  // `has_few_lengths`: of texts, which are filled up to them.
  ShapeDispatch(const Model&, bool has_few_lengths);

  Shapes choose(const Shapes& batch);  // what the next batch runs in: its shapes, or none for the open one
  void cannot_compile(const Shapes&);  // what was chosen does not compile, so all goes to the open one from now on

 private:
  bool is_worth_compiling(const Shapes&);

  std::vector<Port> inputs_;
  bool has_few_lengths_;
  std::set<Shapes> chosen_;
  std::set<Shapes> seen_;  // that came once
  bool only_open_ = false;
};

}  // namespace lpot
