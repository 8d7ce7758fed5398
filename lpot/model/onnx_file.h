// Reads the small parts of an ONNX file with onnx_proto and skips its weights.
//
//   const MappedFile file("net.onnx");
//   const onnx::GraphProto graph = read_onnx_graph(file.bytes());
//   for (const onnx::NodeProto& node : graph.node()) names.insert(node.name());
//
#pragma once
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace lpot {

// The graph's outputs, and its nodes without their attributes. Initializers and attributes are skipped rather than
// parsed, so memory does not grow with the size of the weights. Throws DataError for a damaged file.
onnx::GraphProto read_onnx_graph(std::span<const std::uint8_t> file);

// The names and outputs of the nodes inside attributes: the bodies of If, Loop and Scan. Throws DataError for a damaged
// file.
std::set<std::string> read_body_names(std::span<const std::uint8_t> file);

// The operator sets that the model imports. Throws DataError for a damaged file.
std::vector<onnx::OperatorSetIdProto> read_operator_sets(std::span<const std::uint8_t> file);

// The tensors whose values are in other files (external data), also those in attributes and in bodies of control flow.
// Throws DataError for a damaged file.
std::vector<onnx::TensorProto> read_external_tensors(std::span<const std::uint8_t> file);

}  // namespace lpot
