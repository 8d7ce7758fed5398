// Writes a TensorFlow frozen graph byte by byte: GraphDef in protobuf's wire format.
//
//   GraphDef graph;
//   graph.placeholder("x", {-1, 8, 8, 3});
//   graph.constant("w", {3, 3, 3, 4}, values);
//   graph.node("conv", "Conv2D", {"x", "w"}, {{"strides", ints({1, 2, 2, 1})}, {"padding", text("SAME")}});
//   write_bytes("model.pb", graph.bytes());
//
#pragma once
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace lpot::tf {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 0x7f; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
  return bytes + static_cast<char>(value);
}
inline std::string number(int field, std::int64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(static_cast<std::uint64_t>(value));
}
inline std::string record(int field, const std::string& payload) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(payload.size()) + payload;
}

// Values of attributes (AttrValue).
inline std::string text(const std::string& value) { return record(2, value); }
inline std::string flag(bool value) { return number(5, value); }
inline std::string real(float value) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &value, 4);
  return varint(4 << 3 | 5) + bytes;
}
inline std::string type(int value) { return number(6, value); }
inline std::string ints(const std::vector<std::int64_t>& values) {
  std::string packed;
  for (const std::int64_t value : values) packed += varint(static_cast<std::uint64_t>(value));
  return record(1, record(3, packed));
}
inline std::string dimensions(const std::vector<std::int64_t>& shape) {
  std::string bytes;
  for (const std::int64_t dimension : shape) bytes += record(2, number(1, dimension));
  return bytes;
}

constexpr int kFloat = 1, kInt32 = 3;
using Attributes = std::map<std::string, std::string>;

class GraphDef {
 public:
  void node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
            Attributes attributes = {}) {
    attributes.try_emplace("T", type(kFloat));
    std::string bytes = record(1, name) + record(2, op);
    for (const std::string& input : inputs) bytes += record(3, input);
    for (const auto& [key, value] : attributes) bytes += record(5, record(1, key) + record(2, value));
    bytes_ += record(1, bytes);
  }

  void placeholder(const std::string& name, const std::vector<std::int64_t>& shape) {
    node(name, "Placeholder", {}, {{"dtype", type(kFloat)}, {"shape", record(7, dimensions(shape))}});
  }

  void constant(const std::string& name, const std::vector<std::int64_t>& shape, const std::vector<float>& values) {
    add_constant(name, kFloat, shape, values.data(), values.size() * sizeof(float));
  }
  void constant(const std::string& name, const std::vector<std::int64_t>& shape,
                const std::vector<std::int32_t>& values) {
    add_constant(name, kInt32, shape, values.data(), values.size() * sizeof(std::int32_t));
  }

  std::string bytes() const { return bytes_ + record(4, number(1, 1087)); }

 private:
  void add_constant(const std::string& name, int element, const std::vector<std::int64_t>& shape, const void* data,
                    std::size_t size) {
    const std::string tensor = number(1, element) + record(2, dimensions(shape)) +
                               record(4, std::string(static_cast<const char*>(data), size));
    node(name, "Const", {}, {{"dtype", type(element)}, {"value", record(8, tensor)}});
  }

  std::string bytes_;
};

}  // namespace lpot::tf
