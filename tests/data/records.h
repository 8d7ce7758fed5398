// Encodes TensorFlow records for the tests of their readers.
#pragma once
#include <string>
#include <vector>

#include "lpot/data/tfrecord.h"

namespace lpot {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value % 128 + 128);
  return bytes + static_cast<char>(value);
}

inline std::string field(int number, const std::string& bytes) {
  return varint(static_cast<std::uint64_t>(number) * 8 + 2) + varint(bytes.size()) + bytes;
}

template <typename T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// One feature of an Example.
inline std::string feature(const std::string& name, const std::string& list) {
  return field(1, field(1, name) + field(2, list));
}
inline std::string bytes_feature(const std::string& name, const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += field(1, value);
  return feature(name, field(1, list));
}
inline std::string float_feature(const std::string& name, const std::vector<float>& values) {
  std::string packed;
  for (const float value : values) packed += raw(value);
  return feature(name, field(2, field(1, packed)));
}
inline std::string integer_feature(const std::string& name, const std::vector<std::int64_t>& values) {
  std::string packed;
  for (const std::int64_t value : values) packed += varint(static_cast<std::uint64_t>(value));
  return feature(name, field(3, field(1, packed)));
}

inline std::string example(const std::string& features) { return field(1, features); }

inline std::uint32_t masked_crc(const std::string& bytes) {
  return masked(crc32c({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
}

inline std::string record(const std::string& bytes) {
  const std::string length = raw(static_cast<std::uint64_t>(bytes.size()));
  return length + raw(masked_crc(length)) + bytes + raw(masked_crc(bytes));
}

}  // namespace lpot
