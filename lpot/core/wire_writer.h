// Writes protobuf's wire format without its .proto files, as core/wire.h reads it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lpot::wire {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value % 128 + 128);
  return bytes + static_cast<char>(value);
}

// The bytes of a number as this machine holds it, which is little-endian.
template <typename T>
std::string little_endian(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// A text, bytes or a message.
inline std::string block(int field, std::string_view bytes) {
  return (varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(bytes.size())).append(bytes);
}

inline std::string integer(int field, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}

inline std::string number(int field, double value) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 1) + little_endian(value);
}

inline std::string number(int field, float value) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 5) + little_endian(value);
}

// Packed.
template <typename T>
std::string numbers(int field, const std::vector<T>& values) {
  return block(field, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

}  // namespace lpot::wire
