// Brings an ONNX model of operator set 7 to 12 to operator set 13, the first that dequantizes per channel.
#pragma once
#include <onnx/onnx_pb.h>

#include <cstddef>
#include <map>
#include <string>

namespace lpot {

// Ops whose meaning changed are rewritten; the others mean the same in both. `ranks`: of tensors, as far as known. A
// model of operator set 13 or later stays as it is. Throws ModelError that names the op which cannot be rewritten.
void raise_opset(onnx::ModelProto&, const std::map<std::string, std::size_t>& ranks);

}  // namespace lpot
