// Tensors that an ONNX file stores in other files (external data), as models of more than 2 GB must.
//
//   for (const std::filesystem::path& file : external_data_files("llm.onnx")) bytes +=
//   std::filesystem::file_size(file);
//
#pragma once
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace lpot {

// The place of a tensor's bytes.
struct ExternalPlace {
  std::filesystem::path file;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

bool is_external(const onnx::TensorProto&);

// The size of a tensor's values; 0 for types without a fixed size, such as strings. Throws ModelError for dimensions
// that no tensor can have.
std::uint64_t tensor_bytes(const onnx::TensorProto&);

// The place of an external tensor of `model`. Throws ModelError if the location leaves the folder of the model, if the
// file is missing, or if it is too short for the tensor.
ExternalPlace external_place(const std::filesystem::path& model, const onnx::TensorProto&);

// The files beside an ONNX model that contain its external data, sorted; empty: everything is in the model's file.
// Checks the place of every tensor. Throws ModelError, and DataError for a damaged file.
std::vector<std::filesystem::path> external_data_files(const std::filesystem::path& model);

}  // namespace lpot
