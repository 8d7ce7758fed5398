// The ONNX writer: applies edits to the file that the model was read from.
//
//   export_onnx(model, resolve(model, plan, statistics), "best/model.onnx");
//
// Quantized ops keep their type. Their activation passes through QuantizeLinear and DequantizeLinear, their weights are
// int8 followed by a DequantizeLinear, and batch norm is folded into the weights as in OpenVINO's graph. Everything
// else stays: nodes, names, inputs, outputs. An operator set older than 13 is upgraded to 13.
//
// report/output_formats.h lists all formats that a model is saved in.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "lpot/model/model.h"
#include "lpot/quantize/graph/edits.h"

namespace lpot {

// `source` must be an ONNX model as load_model returns it, not cut at tensors. Returns the number of bytes written.
//
// From kMaxOneFile bytes on, the values of large tensors are external data: they are in `target` + ".data". The model
// refers to that file as `final_name` + ".data", for a caller that renames both files; "": the name of `target`.
//
// Throws ModelError for another format, an edit without a matching node in the file, or an op that cannot be upgraded
// to operator set 13. Throws StoreError when a file cannot be written.
std::size_t export_onnx(const Model& source, const Edits&, const std::filesystem::path& target,
                        const std::string& final_name = "");

// Far below the 2 GB that a protobuf message can have: writing one takes twice its size of memory.
inline constexpr std::uint64_t kMaxOneFile = std::uint64_t{1} << 30;
// The same with another limit.
std::size_t export_onnx_split(const Model& source, const Edits&, const std::filesystem::path& target,
                              const std::string& final_name, std::uint64_t max_one_file);

}  // namespace lpot
