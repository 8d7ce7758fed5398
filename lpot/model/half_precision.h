// Models that compute in 16-bit floats (f16 or bf16), such as ONNX files that were converted to float16.
//
//   const auto graph = in_single_precision(half_graph);   // the same function, computed in f32
//
// CPUs without f16 units compute such models in f32 anyway, and quantization needs weights and activations in f32.
// Inputs and outputs keep their types, so that programs pass and get the same tensors as before.
#pragma once
#include <memory>
#include <string>

namespace ov {
class Model;
}

namespace lpot {

// Behind the name of a tensor: the same values in f32, if the name belongs to a 16-bit input or output of the model.
inline constexpr const char* kInSinglePrecision = "/float32";

// Weights that are only stored in 16 bits and converted to f32 before they are used are not changed: fold.h folds them.
bool computes_in_half(const ov::Model&);

// Returns the model itself if it does not compute in half precision, or if OpenVINO does not accept the result (an op
// with an output type that this function does not know).
std::shared_ptr<ov::Model> in_single_precision(const std::shared_ptr<ov::Model>&);

// OpenVINO's message if it does not accept the graph in f32; otherwise empty.
std::string single_precision_error(const ov::Model&);

}  // namespace lpot
