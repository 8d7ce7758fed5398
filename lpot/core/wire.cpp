#include "lpot/core/wire.h"

#include <fmt/format.h>

#include <bit>

#include "lpot/core/error.h"

namespace lpot {

bool WireReader::next() {
  if (position_ >= bytes_.size()) return false;
  number_ = 0;
  block_ = {};
  const std::uint64_t tag = read_varint();
  if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff) fail("no start of a field");
  field_ = static_cast<int>(tag >> 3);
  type_ = static_cast<int>(tag & 7);
  switch (type_) {
    case 0:
      number_ = read_varint();
      break;
    case 1:
      number_ = read_fixed(8);
      break;
    case 5:
      number_ = read_fixed(4);
      break;
    case 2: {
      const std::uint64_t size = read_varint();
      if (size > bytes_.size() - position_)
        fail(fmt::format("a field of {} bytes, where only {} are left", size, bytes_.size() - position_));
      block_ = bytes_.subspan(position_, static_cast<std::size_t>(size));
      position_ += static_cast<std::size_t>(size);
      break;
    }
    default:
      fail(fmt::format("a field of unknown type {}", type_));
  }
  return true;
}

std::string_view WireReader::text() const { return {reinterpret_cast<const char*>(block_.data()), block_.size()}; }

std::vector<std::int64_t> WireReader::integers() const {
  if (!is_block()) return {static_cast<std::int64_t>(number_)};
  std::vector<std::int64_t> values;
  for (WireReader packed(block_); packed.position_ < block_.size();)
    values.push_back(static_cast<std::int64_t>(packed.read_varint()));
  return values;
}

std::vector<float> WireReader::floats() const {
  if (!is_block()) return {std::bit_cast<float>(static_cast<std::uint32_t>(number_))};
  std::vector<float> values;
  values.reserve(block_.size() / 4);
  for (WireReader packed(block_); packed.position_ < block_.size();)
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(packed.read_fixed(4))));
  return values;
}

std::uint64_t WireReader::read_varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (position_ >= bytes_.size()) fail("a number is cut off");
    const std::uint8_t byte = bytes_[position_++];
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  fail("a number of more than ten bytes");
}

std::uint64_t WireReader::read_fixed(std::size_t size) {
  if (size > bytes_.size() - position_) fail("a number is cut off");
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= static_cast<std::uint64_t>(bytes_[position_ + i]) << (8 * i);
  position_ += size;
  return value;
}

void WireReader::fail(std::string_view what) const {
  throw DataError("wire", fmt::format("byte {} of {}: {}", position_, bytes_.size(), what));
}

}  // namespace lpot
