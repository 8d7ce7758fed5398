// CRC-32C of eight bytes per step. Table k contains the checksums of a byte that is followed by k zeros.
#include <array>
#include <bit>
#include <cstring>

#include "lpot/data/tfrecord.h"

namespace lpot {
namespace {

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0x82f63b78u : 0u);
    tables[0][byte] = crc;
  }
  for (std::size_t zeros = 1; zeros < 8; ++zeros)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[zeros - 1][byte];
      tables[zeros][byte] = (before >> 8) ^ tables[0][before & 255];
    }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32c(std::span<const std::uint8_t> bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t crc = ~0u;
  while (bytes.size() >= 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes.data(), 8);
    eight ^= crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][(eight >> (8 * i)) & 255];
    bytes = bytes.subspan(8);
  }
  for (const std::uint8_t byte : bytes) crc = (crc >> 8) ^ kTables[0][(crc ^ byte) & 255];
  return ~crc;
}

}  // namespace lpot
