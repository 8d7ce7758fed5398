// Small ONNX files built in code.
#pragma once
#include <map>
#include <random>
#include <string>
#include <vector>

#include "lpot/core/file.h"
#include "lpot/core/tensor.h"
#include "lpot/quantize/writers/onnx_values.h"

namespace lpot {

class OnnxFile {
 public:
  explicit OnnxFile(std::int64_t opset = 13, std::int64_t ir_version = 8) {
    model.set_ir_version(ir_version);
    model.add_opset_import()->set_version(opset);
    model.mutable_graph()->set_name("made in a test");
  }

  void input(const std::string& name, const Dims& dims, int type = onnx::TensorProto_DataType_FLOAT) {
    describe(*model.mutable_graph()->add_input(), name, dims, type);
  }
  void output(const std::string& name, const Dims& dims) {
    describe(*model.mutable_graph()->add_output(), name, dims, onnx::TensorProto_DataType_FLOAT);
  }

  template <typename T>
  void constant(const std::string& name, const Dims& dims, const std::vector<T>& values) {
    *model.mutable_graph()->add_initializer() = build_tensor(name, dims, values);
  }

  onnx::NodeProto& node(const std::string& type, const std::string& name, const std::vector<std::string>& inputs,
                        const std::string& output) {
    return *model.mutable_graph()->add_node() = build_node(type, name, inputs, output);
  }

  std::filesystem::path write(const std::filesystem::path& path) const {
    write_file(path, model.SerializeAsString());
    return path;
  }

  static OnnxFile read(const std::filesystem::path& path) {
    OnnxFile file;
    const auto bytes = read_file(path);
    if (!file.model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) throw std::runtime_error("not ONNX");
    return file;
  }

  // "Conv conv", in the file's order.
  std::vector<std::string> nodes() const {
    std::vector<std::string> all;
    for (const onnx::NodeProto& each : model.graph().node()) all.push_back(each.op_type() + " " + each.name());
    return all;
  }

  // The constants of this type.
  std::vector<std::string> constants(onnx::TensorProto_DataType type) const {
    std::vector<std::string> names;
    for (const onnx::TensorProto& tensor : model.graph().initializer())
      if (tensor.data_type() == type) names.push_back(tensor.name());
    return names;
  }

  const onnx::TensorProto& constant(const std::string& name) const {
    for (const onnx::TensorProto& tensor : model.graph().initializer())
      if (tensor.name() == name) return tensor;
    throw std::runtime_error("no constant " + name);
  }

  static void describe(onnx::ValueInfoProto& value, const std::string& name, const Dims& dims, int type) {
    value.set_name(name);
    auto& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.mutable_shape();  // a scalar has a shape without dimensions
    for (const std::int64_t dim : dims) tensor.mutable_shape()->add_dim()->set_dim_value(dim);
  }

  onnx::ModelProto model;
};

inline void set_ints(onnx::NodeProto& node, const std::string& name, const Dims& values) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto_AttributeType_INTS);
  for (const std::int64_t value : values) attribute.add_ints(value);
}

// Weights that half-range int8 represents exactly: integers times a scale, with the largest integer in every channel.
inline std::vector<float> exact_weights(const Dims& dims, std::size_t channel_axis, unsigned seed) {
  std::mt19937 random(seed);
  std::size_t count = 1, stride = 1;
  for (const std::int64_t dim : dims) count *= static_cast<std::size_t>(dim);
  for (std::size_t i = channel_axis + 1; i < dims.size(); ++i) stride *= static_cast<std::size_t>(dims[i]);
  std::vector<float> values(count);
  std::map<std::size_t, bool> seen;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t channel = i / stride % static_cast<std::size_t>(dims[channel_axis]);
    const float whole = seen[channel] ? static_cast<float>(static_cast<int>(random() % 127) - 63) : 63.0f;
    seen[channel] = true;
    values[i] = whole * 0.01f * static_cast<float>(channel + 1);
  }
  return values;
}

// Values that are integers from -100 to 100 times the step.
inline Tensor exact_tensor(const Shape& shape, float step, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(element_count(shape));
  for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 201) - 100) * step;
  return Tensor::from<float>(shape, values);
}

}  // namespace lpot
