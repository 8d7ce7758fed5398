// Chooses the compilation for each batch: one for exactly its shapes, or the dynamic one, which accepts all shapes. The
// choice only depends on the shapes of earlier batches, so that processes that share the batches make the same choice.
#pragma once
#include <set>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"

namespace lpot {

using Shapes = std::vector<Shape>;  // of a model's inputs

class ShapeDispatch {
 public:
  // `has_few_lengths`: texts are padded to one of a few lengths.
  ShapeDispatch(const Model&, bool has_few_lengths);

  Shapes choose(const Shapes& batch);  // the shapes to compile for; empty: the dynamic compilation
  void cannot_compile(const Shapes&);  // these shapes do not compile: from now on, only the dynamic one is used

 private:
  bool is_worth_compiling(const Shapes&);

  std::vector<Port> inputs_;
  bool has_few_lengths_;
  std::set<Shapes> chosen_;
  std::set<Shapes> seen_;
  bool only_dynamic_ = false;
};

}  // namespace lpot
