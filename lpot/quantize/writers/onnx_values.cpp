#include "lpot/quantize/writers/onnx_values.h"

#include <algorithm>

namespace lpot {
namespace {

onnx::TensorProto_DataType type_of(float) { return onnx::TensorProto_DataType_FLOAT; }
onnx::TensorProto_DataType type_of(std::int8_t) { return onnx::TensorProto_DataType_INT8; }
onnx::TensorProto_DataType type_of(std::uint8_t) { return onnx::TensorProto_DataType_UINT8; }
onnx::TensorProto_DataType type_of(std::int32_t) { return onnx::TensorProto_DataType_INT32; }
onnx::TensorProto_DataType type_of(std::int64_t) { return onnx::TensorProto_DataType_INT64; }

onnx::AttributeProto& reset_attribute(onnx::NodeProto& node, std::string_view name,
                                      onnx::AttributeProto_AttributeType type) {
  remove_attribute(node, name);
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(std::string(name));
  attribute.set_type(type);
  return attribute;
}

}  // namespace

onnx::NodeProto build_node(const std::string& type, const std::string& name, const std::vector<std::string>& inputs,
                           const std::string& output) {
  onnx::NodeProto node;
  node.set_op_type(type);
  node.set_name(name);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output);
  return node;
}

const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node, std::string_view name) {
  const auto& all = node.attribute();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& attribute) { return attribute.name() == name; });
  return found == all.end() ? nullptr : &*found;
}

std::int64_t int_attribute(const onnx::NodeProto& node, std::string_view name, std::int64_t default_value) {
  const onnx::AttributeProto* found = find_attribute(node, name);
  return found ? found->i() : default_value;
}

float float_attribute(const onnx::NodeProto& node, std::string_view name, float default_value) {
  const onnx::AttributeProto* found = find_attribute(node, name);
  return found ? found->f() : default_value;
}

Dims ints_attribute(const onnx::NodeProto& node, std::string_view name) {
  const onnx::AttributeProto* found = find_attribute(node, name);
  return found ? Dims(found->ints().begin(), found->ints().end()) : Dims();
}

void remove_attribute(onnx::NodeProto& node, std::string_view name) {
  auto& all = *node.mutable_attribute();
  all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& attribute) { return attribute.name() == name; }),
            all.end());
}

void set_attribute(onnx::NodeProto& node, std::string_view name, std::int64_t value) {
  reset_attribute(node, name, onnx::AttributeProto_AttributeType_INT).set_i(value);
}

void set_attribute(onnx::NodeProto& node, std::string_view name, float value) {
  reset_attribute(node, name, onnx::AttributeProto_AttributeType_FLOAT).set_f(value);
}

void set_attribute(onnx::NodeProto& node, std::string_view name, const std::string& value) {
  reset_attribute(node, name, onnx::AttributeProto_AttributeType_STRING).set_s(value);
}

template <typename T>
onnx::TensorProto build_tensor(const std::string& name, const Dims& dims, const std::vector<T>& values) {
  onnx::TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(type_of(T{}));
  for (const std::int64_t dim : dims) tensor.add_dims(dim);
  tensor.set_raw_data(values.data(), values.size() * sizeof(T));
  return tensor;
}
template onnx::TensorProto build_tensor(const std::string&, const Dims&, const std::vector<float>&);
template onnx::TensorProto build_tensor(const std::string&, const Dims&, const std::vector<std::int8_t>&);
template onnx::TensorProto build_tensor(const std::string&, const Dims&, const std::vector<std::uint8_t>&);
template onnx::TensorProto build_tensor(const std::string&, const Dims&, const std::vector<std::int32_t>&);
template onnx::TensorProto build_tensor(const std::string&, const Dims&, const std::vector<std::int64_t>&);

}  // namespace lpot
