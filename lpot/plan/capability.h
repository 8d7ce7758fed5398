// The table of op types that the runtime can execute in int8, with the schemes that it supports for each type.
//
//   if (const Capability* row = find_capability("Convolution"))
//     for (Symmetry symmetry : row->activation_symmetries) std::cout << to_string(symmetry) << "\n";
//
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lpot/core/scheme.h"
#include "lpot/core/tensor.h"

namespace lpot {

// A row of the table: an op type with an activation as input 0 and constant weights.
struct Capability {
  std::string op_type;
  int channel_axis = 1;                           // of the activation and the output; negative: from the end
  std::vector<Granularity> weight_granularities;  // these three lists are in order of preference
  std::vector<Symmetry> activation_symmetries;
  std::vector<Algorithm> activation_algorithms;
  std::vector<Algorithm> algorithms_on_request = {};  // tried only if the configuration names them
};

// Op types that are not in the table stay in fp32.
const std::vector<Capability>& capabilities();
const Capability* find_capability(const std::string& op_type);  // or nullptr

// How a recurrent sequence runs in int8.
enum class SequenceForm {
  Kernel,  // the int8 kernel of the runtime
  Loop     // a loop of int8 matrix products, for sequences without an int8 kernel
};

// An op of a model that can run in int8.
struct QuantizableOp {
  std::string name;
  std::string type;
  std::string activation;                     // name of the input tensor that is quantized
  std::vector<std::size_t> weight_axes = {};  // weight dimensions of the output channels
  std::vector<std::size_t> input_axes = {};   // weight dimensions of the input channels; a group dimension is in both
  Shape weight_shape = {};
  // The second activation of a MatMul of two activations, or the state of a recurrent sequence, which is its output.
  // "": none
  std::string second = {};
  std::optional<SequenceForm> sequence = {};  // of a recurrent sequence

  bool is_product() const { return !second.empty() && !sequence; }  // of two activations, without weights
};

}  // namespace lpot
