// Brings data to a model's inputs: order, element types, and whether the shapes fit at all.
#pragma once
#include <string>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"

namespace lpot {

// How the tensors of a data set go into a model.
class InputFit {
 public:
  // `names`: the inputs that the data set's tensors belong to; empty: the model's inputs in their order.
  // Throws DataError for an unknown or missing name, with the names that there are.
  InputFit(const Model&, const std::vector<std::string>& names);

  // The model's inputs from a batch of stacked samples: widths of integers and floats are converted, a batch of one
  // sample that already is a whole input is taken as it is. Throws DataError that names both types and shapes.
  std::vector<Tensor> apply(const std::vector<Tensor>& batch) const;

 private:
  std::vector<Port> ports_;
  std::vector<std::size_t> source_;  // for each port, which tensor of the data
};

}  // namespace lpot
