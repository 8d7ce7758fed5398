// Matches data to the inputs of a model: finds the order, converts element types and checks shapes.
#pragma once
#include <string>
#include <vector>

#include "lpot/core/input_naming.h"
#include "lpot/core/tensor.h"
#include "lpot/model/model.h"

namespace lpot {

// Maps the tensors of a data set to the inputs of a model.
class InputFit {
 public:
  // Throws DataError for an unknown or missing name, with the available names.
  //
  // The names of some data sets are only hints (Dataset::names_are_hints). Then
  // - other names that BERT models use for the same input match too,
  // - inputs with unknown names get the remaining tensors in order (node:2 gets the third one),
  // - unused tensors are allowed.
  //
  // For a model with an attention mask, rows are padded to the lengths of the naming (Dataset::lengths).
  //
  // The inputs of model.state get no data. Throws DataError if the data set has a tensor with such a name.
  InputFit(const Model&, const InputNaming&);

  // The inputs of the model from a batch of stacked samples. Converts between the widths of integers and of floats. A
  // batch of one sample that already is a complete input is used unchanged. A scalar input, such as a sample rate, gets
  // the value that all samples of the batch have; they must have the same one. If names are hints, rows are padded with
  // zeros to the fixed length of the model. Throws DataError with both types and shapes.
  // `state` has one tensor for each binding of Model::state. If it is empty, the states are zeros, and their dynamic
  // dimensions are the number of rows of the batch.
  std::vector<Tensor> apply(const std::vector<Tensor>& batch, const std::vector<Tensor>& state = {}) const;

  // Whether texts are padded to one of a few lengths.
  bool has_few_lengths() const { return !lengths_.empty(); }

 private:
  void match_exactly(const std::vector<std::string>& names);
  void match_hints(const std::vector<std::string>& names);

  std::vector<Tensor> with_state(std::vector<Tensor> inputs, const std::vector<Tensor>& state) const;

  std::vector<Port> ports_;      // that get data
  std::vector<bool> is_scalar_;  // of ports_: the model says that it has no dimensions
  std::vector<Port> all_ports_;  // in the order of the model
  std::vector<StateBinding> state_;
  bool names_are_hints_ = false;
  std::vector<std::size_t> source_;   // the index of the data tensor of each port
  std::vector<std::size_t> lengths_;  // to which rows are padded, ascending; empty: no padding
};

}  // namespace lpot
