// Finds the ops of a model that is quantized already. lpot leaves these ops as they are.
//
//   const QuantizedOps quantized = quantized_ops(model);
//   std::cout << describe(quantized) << "\n";  // 74 ops have int8 weights, and 97 tensors have quantizers
//
#pragma once
#include <string>
#include <vector>

#include "lpot/core/op_info.h"
#include "lpot/model/model.h"

namespace lpot {

struct QuantizedOps {
  std::vector<OpInfo> ops;     // their weights are 8-bit or 4-bit integers or have a quantizer; in topological order
  std::size_t quantizers = 0;  // FakeQuantize ops of activations
};
QuantizedOps quantized_ops(const Model&);

std::string describe(const QuantizedOps&);

}  // namespace lpot
