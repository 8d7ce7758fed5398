// Encodes small ONNX and TensorFlow files, so that no test needs these frameworks.
#pragma once
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <openvino/openvino.hpp>
#include <string>
#include <vector>

#include "lpot/model/load.h"

namespace lpot::encode {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
inline std::string number(int field, std::int64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(static_cast<std::uint64_t>(value));
}
inline std::string block(int field, const std::string& content) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(content.size()) + content;
}
inline std::string raw(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

using Names = std::vector<std::string>;
using Dimensions = std::vector<std::int64_t>;  // -1: dynamic

namespace onnx {

inline std::string node(const std::string& op, const std::string& name, const Names& inputs, const std::string& output,
                        const std::string& more = "") {
  std::string bytes;
  for (const std::string& input : inputs) bytes += block(1, input);
  return block(1, bytes + block(2, output) + block(3, name) + block(4, op) + more);
}
inline std::string value(int field, const std::string& name, const Dimensions& shape) {
  std::string dimensions;
  for (const std::int64_t size : shape) dimensions += block(1, size < 0 ? block(2, "n") : number(1, size));
  return block(field, block(1, name) + block(2, block(1, number(1, 1) + block(2, dimensions))));
}
inline std::string input(const std::string& name, const Dimensions& shape) { return value(11, name, shape); }
inline std::string output(const std::string& name, const Dimensions& shape) { return value(12, name, shape); }
inline std::string tensor(const std::string& name, const Dimensions& shape, int type, const std::string& bytes) {
  std::string content;
  for (const std::int64_t size : shape) content += number(1, size);
  return block(5, content + number(2, type) + block(8, name) + block(9, bytes));
}
inline std::string weights(const std::string& name, const Dimensions& shape, const std::vector<float>& values) {
  return tensor(name, shape, 1, raw(values));
}
inline std::string model(const std::string& graph) {
  return number(1, 8) + block(7, block(2, "graph") + graph) + block(8, number(2, 13)) +
         block(8, block(1, "example.org") + number(2, 1));
}

}  // namespace onnx

namespace tf {

inline std::string attribute(const std::string& key, const std::string& content) {
  return block(5, block(1, key) + block(2, content));
}
inline std::string type(const std::string& key, int value) { return attribute(key, number(6, value)); }
inline std::string shape(const Dimensions& dimensions) {
  std::string bytes;
  for (const std::int64_t size : dimensions) bytes += block(2, number(1, size));
  return bytes;
}
inline std::string node(const std::string& op, const std::string& name, const Names& inputs,
                        const std::string& more = "") {
  std::string bytes = block(1, name) + block(2, op);
  for (const std::string& input : inputs) bytes += block(3, input);
  return block(1, bytes + more);
}
inline std::string constant(const std::string& name, const Dimensions& dimensions, int element,
                            const std::string& bytes) {
  return node("Const", name, {},
              type("dtype", element) +
                  attribute("value", block(8, number(1, element) + block(2, shape(dimensions)) + block(4, bytes))));
}

}  // namespace tf

// A temporary folder that the destructor removes.
class Folder {
 public:
  Folder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("lpot_model_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline Names describe(const std::vector<Port>& ports) {
  Names names;
  for (const Port& port : ports) names.push_back(port.describe());
  return names;
}

inline Names op_names(const Model& model) {
  Names names;
  for (const OpInfo& op : list_ops(model)) names.push_back(op.type + " " + op.name);
  return names;
}

// The values of one output for inputs filled with one value. Dynamic dimensions are 1.
inline std::vector<float> run_filled(const Model& model, float fill, std::size_t output = 0) {
  ov::Core core;
  auto request =
      core.compile_model(model.graph, "CPU", ov::hint::inference_precision(ov::element::f32)).create_infer_request();
  for (const auto& input : model.graph->inputs()) {
    ov::Shape shape;
    for (const ov::Dimension& dimension : input.get_partial_shape())
      shape.push_back(dimension.is_static() ? static_cast<std::size_t>(dimension.get_length()) : 1);
    ov::Tensor tensor(ov::element::f32, shape);
    std::fill_n(tensor.data<float>(), tensor.get_size(), fill);
    request.set_tensor(input, tensor);
  }
  request.infer();
  const ov::Tensor result = request.get_output_tensor(output);
  return {result.data<float>(), result.data<float>() + result.get_size()};
}

template <typename Action>
std::string thrown_message(Action action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace lpot::encode
