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
    case 0:
      return read_varint(file) ? std::optional<std::uint64_t>(0) : std::nullopt;
    case 1:
      return 8;
    case 2:
      return read_varint(file);
    case 5:
      return 4;
    default:
      return std::nullopt;
  }
}

// Collects the texts at fields[depth...] of the message that lies in [position, end).
void collect_texts(std::istream& file, std::uint64_t position, std::uint64_t end, const std::vector<int>& fields,
                   std::size_t depth, std::set<std::string>& texts) {
  while (position < end) {
    file.seekg(static_cast<std::streamoff>(position));
    const auto tag = read_varint(file);
    const auto payload = tag ? payload_size(file, *tag) : std::nullopt;
    if (!payload) return;
    const auto begin = static_cast<std::uint64_t>(file.tellg());
    if (begin > end || *payload > end - begin) return;  // its length may reach beyond the message
    position = begin + *payload;
    if ((*tag & 7) != 2 || *tag >> 3 != static_cast<std::uint64_t>(fields[depth])) continue;
    if (depth + 1 < fields.size()) {
      collect_texts(file, begin, position, fields, depth + 1, texts);
    } else {
      std::string text(*payload, '\0');
      file.read(text.data(), static_cast<std::streamsize>(text.size()));
      texts.insert(std::move(text));
    }
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
      return fmt::format("the record at byte {} needs {} bytes and the file has only {} left, so it was cut", position,
                         *payload, size - begin);
    position = begin + *payload;
  }
  return std::nullopt;
}

std::set<std::string> read_wire_texts(const std::filesystem::path& path, const std::vector<int>& fields) {
  std::ifstream file(path, std::ios::binary);
  std::set<std::string> texts;
  collect_texts(file, 0, std::filesystem::file_size(path), fields, 0, texts);
  return texts;
}

}  // namespace lpot
