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
  std::vector<Input> inputs = {};         // shapes of a sample; empty: all dimensions are static
  bool are_named = true;                  // false: inputs have only numbers in the runtime
  std::vector<std::size_t> lengths = {};  // of texts; compile the model once for each

  bool empty() const { return inputs.empty(); }
  const Shape* find(const std::string& input) const;  // or nullptr

  // The line that reshapes a model to these shapes, in OpenVINO's C++ and Python API.
  std::string cpp_line() const;
  std::string python_line() const;
};

// `sample`: one tensor per input, as used for measuring speed. `naming`: of the sample's data set.
StaticShapes static_shapes(const Model&, const std::vector<Tensor>& sample, const InputNaming& naming = {});

}  // namespace lpot
