// Damages files: flips bits, truncates, swaps and repeats blocks, and writes lengths and dimensions out of range.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace lpot {

// One field of a parsed protobuf message. If a field is changed, the lengths around it are written correctly again.
struct WireField {
  std::uint64_t tag = 0;
  std::uint64_t number = 0;            // for a varint
  std::string bytes = {};              // for other fields that are not a message
  std::vector<WireField> fields = {};  // for bytes that can be parsed as a message
};

inline std::string wire_varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

inline std::optional<std::uint64_t> read_varint(const std::string& bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

// Returns nothing if the bytes are not a message.
inline std::optional<std::vector<WireField>> parse_message(const std::string& bytes, int depth = 0) {
  std::vector<WireField> fields;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto tag = read_varint(bytes, at);
    if (!tag || *tag >> 3 == 0 || *tag >> 3 > 1000) return std::nullopt;
    WireField field{*tag};
    std::size_t size = 0;
    if ((*tag & 7) == 0) {
      const auto value = read_varint(bytes, at);
      if (!value) return std::nullopt;
      field.number = *value;
    } else if ((*tag & 7) == 2) {
      const auto length = read_varint(bytes, at);
      if (!length) return std::nullopt;
      size = *length;
    } else if ((*tag & 7) == 1 || (*tag & 7) == 5) {
      size = (*tag & 7) == 1 ? 8 : 4;
    } else {
      return std::nullopt;
    }
    if (size > bytes.size() - at) return std::nullopt;
    field.bytes = bytes.substr(at, size);
    at += size;
    if ((*tag & 7) == 2 && size > 1 && (depth < 2 || size < 20000) && depth < 12)
      if (auto inner = parse_message(field.bytes, depth + 1)) field.fields = std::move(*inner);
    fields.push_back(std::move(field));
  }
  return fields;
}

inline std::string write_message(const std::vector<WireField>& fields) {
  std::string bytes;
  for (const WireField& field : fields) {
    bytes += wire_varint(field.tag);
    const std::string inner = field.fields.empty() ? field.bytes : write_message(field.fields);
    if ((field.tag & 7) == 0) bytes += wire_varint(field.number);
    if ((field.tag & 7) == 2) bytes += wire_varint(inner.size());
    if ((field.tag & 7) != 0) bytes += inner;
  }
  return bytes;
}

// Damages bytes; the result depends only on the seed. Most damage is near printable text, because damage to weights
// only changes numbers.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string mutate(std::string bytes) {
    // One third of the mutations changes protobuf fields, and one third keeps the length of the file, so that the
    // damage is not found by a simple check.
    const std::size_t way = below(3);
    if (way == 0)
      if (auto fields = parse_message(bytes)) {
        for (std::size_t left = 1 + below(3); left > 0 && !fields->empty(); --left) damage_field(*fields);
        return write_message(*fields);
      }
    for (std::size_t left = 1 + below(4); left > 0 && bytes.size() > 8; --left) damage(bytes, way != 2);
    return bytes;
  }

 private:
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  // A position near printable text, such as names and types, where damage to the structure is likely.
  std::size_t place(const std::string& bytes) {
    for (int attempt = 0; attempt < 200; ++attempt) {
      const std::size_t at = below(bytes.size() - 8);
      const auto is_letter = [&](std::size_t i) { return bytes[i] >= 0x20 && bytes[i] < 0x7f; };
      if (is_letter(at) && is_letter(at + 1) && is_letter(at + 2) && is_letter(at + 3))
        return at - std::min(at, below(12));
    }
    return below(bytes.size() - 8);
  }

  std::uint64_t odd_number() {
    static constexpr std::uint64_t kOdd[] = {0,          1,          2,          7,          127,        255,
                                             65536,      0x7fffffff, 0x80000000, 0xffffffff, 1ull << 40, ~0ull >> 1,
                                             1ull << 63, ~0ull,      ~0ull - 1,  11,         16,         1000000};
    return kOdd[below(std::size(kOdd))];
  }

  // Damages a random field at a random depth.
  void damage_field(std::vector<WireField>& fields) {
    WireField& field = fields[below(fields.size())];
    if (!field.fields.empty() && below(6) != 0) return damage_field(field.fields);
    switch (below(5)) {
      case 0:
        fields.erase(fields.begin() + (&field - fields.data()));
        break;
      case 1:
        fields.push_back(field);
        break;
      case 2:
        std::swap(field, fields[below(fields.size())]);
        break;
      case 3:
        field.tag = (field.tag & 7) | (1 + below(20)) << 3;
        break;
      default:
        if ((field.tag & 7) == 0)
          field.number = odd_number();
        else if (!field.bytes.empty() && below(2) == 0)
          field.bytes[below(field.bytes.size())] ^= static_cast<char>(1 << below(8));
        else
          field.bytes = below(2) == 0 ? "" : wire_varint(odd_number());
        if ((field.tag & 7) == 2) field.fields.clear();
    }
  }

  void damage(std::string& bytes, bool keep_length) {
    const std::size_t at = place(bytes);
    const std::size_t length = std::min(bytes.size() - at, 1 + below(64));
    switch (keep_length ? std::array{0, 1, 5, 7}[below(4)] : static_cast<int>(below(9))) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(random_());
        break;
      case 2:
        bytes.resize(at + 1);
        break;
      case 3:
        bytes.erase(at, length);
        break;
      case 4:
        bytes.insert(at, bytes.substr(place(bytes), length));
        break;
      case 5: {
        const std::size_t other = place(bytes), size = std::min(length, bytes.size() - other);
        for (std::size_t i = 0; i < size; ++i) std::swap(bytes[at + i], bytes[other + i]);
        break;
      }
      case 6:  // a varint that is negative or far too large
        bytes.insert(at, std::string(9, '\xff') + '\x01');
        break;
      case 7:  // a small number, such as a length, type or dimension
        bytes[at] = static_cast<char>(below(24));
        break;
      default: {  // a digit in text, such as an attribute in IR
        const std::size_t digit = bytes.find_first_of("0123456789", at);
        if (digit != std::string::npos) bytes.replace(digit, 1, below(2) == 0 ? "-1" : "4294967297");
        break;
      }
    }
  }

  std::mt19937_64 random_;
};

}  // namespace lpot
