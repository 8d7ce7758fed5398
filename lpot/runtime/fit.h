// Brings data to a model's inputs: order, element types, and whether the shapes fit at all.
#pragma once
#include <string>
#include <vector>

#include "lpot/core/input_naming.h"
#include "lpot/core/tensor.h"
#include "lpot/model/model.h"

namespace lpot {

// How the tensors of a data set go into a model.
class InputFit {
 public:
  // Throws DataError for an unknown or missing name, with the names that there are.
  //
  // Customary names bind less (Dataset::names_are_customary): other names that BERT models use for the same will do,
  // inputs of quite other names take what is left in order (node:2 the third tensor), and tensors may be left over.
  //
  // A model with an attention mask gets rows of the naming's lengths only (Dataset::lengths).
  InputFit(const Model&, const InputNaming&);

  // The model's inputs from a batch of stacked samples: widths of integers and floats are converted, a batch of one
  // sample that already is a whole input is taken as it is. With customary names, rows that are shorter than the
  // model's fixed length are filled up with zeros. Throws DataError that names both types and shapes.
  std::vector<Tensor> apply(const std::vector<Tensor>& batch) const;

  // Whether texts are filled up to lengths of which there are a few.
  bool has_few_lengths() const { return !lengths_.empty(); }

 private:
  void match_exactly(const std::vector<std::string>& names);
  void match_customary(const std::vector<std::string>& names);

  std::vector<Port> ports_;
  bool customary_ = false;
  std::vector<std::size_t> source_;   // for each port, which tensor of the data
  std::vector<std::size_t> lengths_;  // that rows are filled up to, ascending; empty: they stay as they are
};

}  // namespace lpot
