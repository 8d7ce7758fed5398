// The shapes to compile a saved model for. It keeps the shapes of its source, often with an open batch or length; the
// runtime is faster where they are static, most of all where products run as convolutions.
//
//   const StaticShapes shapes = static_shapes(model, inputs);
//   if (!shapes.empty()) std::cout << shapes.cpp_line() << "\n";
//
#pragma once
#include <string>
#include <vector>

#include "lpot/core/input_naming.h"
#include "lpot/core/tensor.h"
#include "lpot/model/model.h"

namespace lpot {

struct StaticShapes {
  struct Input {
    std::string name;
    Shape shape;
  };
  std::vector<Input> inputs = {};         // those that speed was measured with; empty: the model leaves none open
  bool are_named = true;                  // else the runtime knows the inputs by their numbers only
  std::vector<std::size_t> lengths = {};  // of texts: each is compiled for once

  bool empty() const { return inputs.empty(); }
  const Shape* find(const std::string& input) const;  // or nullptr

  // The line that gives a model these shapes, in OpenVINO's C++ and Python.
  std::string cpp_line() const;
  std::string python_line() const;
};

// `sample`: what speed is measured with, one tensor per input. `naming`: of the data set that it comes from.
StaticShapes static_shapes(const Model&, const std::vector<Tensor>& sample, const InputNaming& naming = {});

}  // namespace lpot
