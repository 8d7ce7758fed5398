// Which op types the runtime can execute in int8, and with which schemes: one readable table.
//
//   if (const Capability* row = find_capability("Convolution"))
//     for (Symmetry symmetry : row->activation_symmetries) std::cout << to_string(symmetry) << "\n";
//
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "lpot/core/scheme.h"
#include "lpot/core/tensor.h"

namespace lpot {

// A row of the table: an op type whose input 0 is an activation and whose input 1 is a constant.
struct Capability {
  std::string op_type;
  int channel_axis = 1;                           // of the activation and the output; negative: from the end
  std::vector<Granularity> weight_granularities;  // in order of preference, as the next two
  std::vector<Symmetry> activation_symmetries;
  std::vector<Algorithm> activation_algorithms;
  std::vector<Algorithm> algorithms_by_name = {};  // tried only if the configuration names them
};

// Op types that are not in the table stay in fp32.
const std::vector<Capability>& capabilities();
const Capability* find_capability(const std::string& op_type);  // or nullptr

// An op of a model that can run in int8.
struct QuantizableOp {
  std::string name;
  std::string type;
  std::string activation;                     // the tensor that is quantized in front of it
  std::vector<std::size_t> weight_axes = {};  // dimensions of the weights that hold the output channels
  std::vector<std::size_t> input_axes = {};   // and the input channels; a dimension of groups is in both
  Shape weight_shape = {};
  std::string second = {};  // of a product of two activations, the other one; "": constant weights
};

}  // namespace lpot
