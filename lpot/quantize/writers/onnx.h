// The ONNX writer: carries edits out in the file that the model was read from.
//
//   export_onnx(model, resolve(model, plan, statistics), "best/model.onnx");
//
// Quantized ops stay what they are; their activation goes through QuantizeLinear and DequantizeLinear, their weights
// are int8 with a DequantizeLinear behind, and batch norm is folded into them as it was in OpenVINO's graph. All else
// is kept: nodes, names, inputs, outputs. The operator set is raised to 13 where it is older.
#pragma once
#include <filesystem>

#include "lpot/model/model.h"
#include "lpot/quantize/graph/edits.h"

namespace lpot {

// `source` is an ONNX model as load_model gave it, not cut. Throws ModelError: another format, weights in files of
// their own, an edit without a counterpart in the file, an op whose older form cannot be brought to operator set 13;
// StoreError. Returns the bytes written.
std::size_t export_onnx(const Model& source, const Edits&, const std::filesystem::path& target);

}  // namespace lpot
