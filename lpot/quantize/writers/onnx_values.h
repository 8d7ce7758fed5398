// Nodes, attributes and constants of ONNX files.
#pragma once
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

using Dims = std::vector<std::int64_t>;

onnx::NodeProto build_node(const std::string& type, const std::string& name, const std::vector<std::string>& inputs,
                           const std::string& output);

// Read attributes by name; `default_value` is returned when the node does not have the attribute.
const onnx::AttributeProto* find_attribute(const onnx::NodeProto&, std::string_view name);
std::int64_t int_attribute(const onnx::NodeProto&, std::string_view name, std::int64_t default_value);
float float_attribute(const onnx::NodeProto&, std::string_view name, float default_value);
Dims ints_attribute(const onnx::NodeProto&, std::string_view name);
void remove_attribute(onnx::NodeProto&, std::string_view name);
void set_attribute(onnx::NodeProto&, std::string_view name, std::int64_t);
void set_attribute(onnx::NodeProto&, std::string_view name, float);
void set_attribute(onnx::NodeProto&, std::string_view name, const std::string&);

// A tensor with its values as raw bytes.
template <typename T>
onnx::TensorProto build_tensor(const std::string& name, const Dims& dims, const std::vector<T>& values);

}  // namespace lpot
