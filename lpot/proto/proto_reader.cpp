#include "lpot/proto/proto_reader.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "lpot/core/error.h"

namespace lpot {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr std::size_t kMaxHeadBytes = 20;  // a tag and a number or length, each a varint of at most ten bytes

// The bytes of a field before its payload.
struct Head {
  std::uint32_t tag = 0;
  std::uint64_t number = 0;   // value of a varint, which has no payload
  std::uint64_t payload = 0;  // size of the payload in bytes
  std::size_t bytes = 0;      // size of the head itself
};

// Returns nullopt for an invalid tag, for a group, and if the bytes end inside the head. Only the head is read with a
// stream, because a stream is limited to 2 GB.
std::optional<Head> read_head(std::span<const std::uint8_t> bytes) {
  CodedInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  Head head;
  std::uint64_t tag = 0;
  if (!stream.ReadVarint64(&tag) || tag > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  head.tag = static_cast<std::uint32_t>(tag);
  if (WireFormatLite::GetTagFieldNumber(head.tag) == 0) return std::nullopt;
  switch (WireFormatLite::GetTagWireType(head.tag)) {
    case WireFormatLite::WIRETYPE_VARINT:
      if (!stream.ReadVarint64(&head.number)) return std::nullopt;
      break;
    case WireFormatLite::WIRETYPE_LENGTH_DELIMITED:
      if (!stream.ReadVarint64(&head.payload)) return std::nullopt;
      break;
    case WireFormatLite::WIRETYPE_FIXED64:
      head.payload = sizeof(std::uint64_t);
      break;
    case WireFormatLite::WIRETYPE_FIXED32:
      head.payload = sizeof(std::uint32_t);
      break;
    default:
      return std::nullopt;
  }
  head.bytes = static_cast<std::size_t>(stream.CurrentPosition());
  return head;
}

// The caller must check that there are enough bytes.
std::uint64_t read_fixed64(std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  CodedInputStream::ReadLittleEndian64FromArray(bytes.data(), &value);
  return value;
}

std::uint32_t read_fixed32(std::span<const std::uint8_t> bytes) {
  std::uint32_t value = 0;
  CodedInputStream::ReadLittleEndian32FromArray(bytes.data(), &value);
  return value;
}

[[noreturn]] void fail(const std::string& damage) { throw DataError("protobuf", damage); }

}  // namespace

bool ProtoReader::next() {
  if (position_ >= bytes_.size()) return false;
  if (const std::string damage = read_field(); !damage.empty()) fail(damage);
  return true;
}

std::optional<std::string> ProtoReader::find_damage() {
  while (position_ < bytes_.size())
    if (std::string damage = read_field(); !damage.empty()) return damage;
  return std::nullopt;
}

std::string ProtoReader::read_field() {
  const std::size_t left = bytes_.size() - position_;
  const std::optional<Head> head = read_head(bytes_.subspan(position_, std::min(kMaxHeadBytes, left)));
  if (!head) return fmt::format("byte {} of {} is not the start of a field", position_, bytes_.size());
  if (head->payload > left - head->bytes)
    return fmt::format("truncated: the field at byte {} needs {} bytes, but only {} are left", position_, head->payload,
                       left - head->bytes);
  const auto payload = bytes_.subspan(position_ + head->bytes, static_cast<std::size_t>(head->payload));
  begin_ = position_;
  position_ += head->bytes + payload.size();
  field_ = WireFormatLite::GetTagFieldNumber(head->tag);
  type_ = WireFormatLite::GetTagWireType(head->tag);
  number_ = head->number;
  block_ = is_block() ? payload : std::span<const std::uint8_t>();
  if (type_ == WireFormatLite::WIRETYPE_FIXED64) number_ = read_fixed64(payload);
  if (type_ == WireFormatLite::WIRETYPE_FIXED32) number_ = read_fixed32(payload);
  return "";
}

bool ProtoReader::is_block() const { return type_ == WireFormatLite::WIRETYPE_LENGTH_DELIMITED; }

std::string_view ProtoReader::text() const { return {reinterpret_cast<const char*>(block_.data()), block_.size()}; }

std::vector<std::int64_t> ProtoReader::integers() const {
  if (type_ == WireFormatLite::WIRETYPE_VARINT) return {static_cast<std::int64_t>(number_)};
  if (block_.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    fail(fmt::format("a packed field has {} bytes; expected at most 2 GB", block_.size()));
  const auto size = static_cast<int>(block_.size());
  std::vector<std::int64_t> values;
  CodedInputStream packed(block_.data(), size);
  while (packed.CurrentPosition() < size) {
    std::uint64_t value = 0;
    if (!packed.ReadVarint64(&value))
      fail(fmt::format("byte {} of {} packed bytes is not the start of a number", packed.CurrentPosition(), size));
    values.push_back(static_cast<std::int64_t>(value));
  }
  return values;
}

std::vector<float> ProtoReader::floats() const {
  if (type_ == WireFormatLite::WIRETYPE_FIXED32) return {std::bit_cast<float>(static_cast<std::uint32_t>(number_))};
  if (block_.size() % sizeof(float) != 0)
    fail(fmt::format("a packed field of floats has {} bytes; expected a multiple of 4", block_.size()));
  std::vector<float> values(block_.size() / sizeof(float));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::bit_cast<float>(read_fixed32(block_.subspan(i * sizeof(float))));
  return values;
}

}  // namespace lpot
