#include "lpot/model/wire_check.h"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>

namespace lpot {
namespace {

std::optional<std::uint64_t> read_varint(std::istream& file) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const int byte = file.get();
    if (byte < 0) return std::nullopt;
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

// Bytes of the record that follows its tag, or nothing for a tag that protobuf does not have.
std::optional<std::uint64_t> payload_size(std::istream& file, std::uint64_t tag) {
  switch (tag & 7) {
    case 0: return read_varint(file) ? std::optional<std::uint64_t>(0) : std::nullopt;
    case 1: return 8;
    case 2: return read_varint(file);
    case 5: return 4;
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> find_wire_damage(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::uint64_t size = std::filesystem::file_size(path);
  std::uint64_t position = 0;
  while (position < size) {
    file.seekg(static_cast<std::streamoff>(position));
    const auto tag = read_varint(file);
    const auto payload = tag && (*tag >> 3) != 0 ? payload_size(file, *tag) : std::nullopt;
    if (!payload) return fmt::format("byte {} of {} is no start of a record", position, size);
    const auto begin = static_cast<std::uint64_t>(file.tellg());
    if (*payload > size - begin)
      return fmt::format("the record at byte {} needs {} bytes and the file has only {} left, so it was cut", position, *payload, size - begin);
    position = begin + *payload;
  }
  return std::nullopt;
}

}  // namespace lpot
