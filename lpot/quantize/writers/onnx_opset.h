// Upgrades an ONNX model from operator set 7..12 to operator set 13, the first with per-channel DequantizeLinear.
#pragma once
#include <onnx/onnx_pb.h>

#include <cstddef>
#include <map>
#include <string>

namespace lpot {

// Rewrites the ops whose definition changed. `ranks`: the known ranks of tensors. A model with operator set 13 or later
// does not change. Throws ModelError with the name of the op that cannot be rewritten.
void upgrade_opset(onnx::ModelProto&, const std::map<std::string, std::size_t>& ranks);

}  // namespace lpot
