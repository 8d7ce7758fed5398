// Nodes, attributes and constants of ONNX files.
#pragma once
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

using Dims = std::vector<std::int64_t>;

onnx::NodeProto make_node(const std::string& type, const std::string& name, const std::vector<std::string>& inputs,
                          const std::string& output);

// Attributes by name; `otherwise` when the node has none of it.
const onnx::AttributeProto* find_attribute(const onnx::NodeProto&, std::string_view name);
std::int64_t int_attribute(const onnx::NodeProto&, std::string_view name, std::int64_t otherwise);
float float_attribute(const onnx::NodeProto&, std::string_view name, float otherwise);
Dims ints_attribute(const onnx::NodeProto&, std::string_view name);
void remove_attribute(onnx::NodeProto&, std::string_view name);
void set_attribute(onnx::NodeProto&, std::string_view name, std::int64_t);
void set_attribute(onnx::NodeProto&, std::string_view name, float);
void set_attribute(onnx::NodeProto&, std::string_view name, const std::string&);

// A tensor that keeps its values as plain bytes.
template <typename T>
onnx::TensorProto make_tensor(const std::string& name, const Dims& dims, const std::vector<T>& values);

}  // namespace lpot
