#include "lpot/data/datasets/idx.h"

#include <fmt/format.h>

#include "lpot/core/error.h"
#include "lpot/core/file.h"

namespace lpot {
namespace {

constexpr std::uint32_t kBytesMagic = 0x0800;  // the file contains this number plus the rank

std::uint32_t big_endian(const std::vector<std::uint8_t>& bytes, std::size_t offset) {
  return std::uint32_t{bytes[offset]} << 24 | std::uint32_t{bytes[offset + 1]} << 16 |
         std::uint32_t{bytes[offset + 2]} << 8 | std::uint32_t{bytes[offset + 3]};
}

// The file and the data set, for error messages.
struct Source {
  std::string path;
  std::string_view dataset;

  [[noreturn]] void fail(const std::string& message) const {
    throw DataError(dataset, fmt::format("{}: {}", path, message));
  }
};

void check_magic(std::uint32_t magic, std::size_t rank, const Source& source) {
  const auto expected = kBytesMagic + static_cast<std::uint32_t>(rank);
  if (magic == expected) return;
  if ((magic & 0xffffff00u) == kBytesMagic)
    source.fail(
        fmt::format("{} dimensions, expected {}. Check that images and labels are not swapped", magic & 0xffu, rank));
  source.fail(
      fmt::format("the file starts with {:#010x}, expected {:#010x} for an idx file of bytes", magic, expected));
}

void check_shape(const Shape& shape, std::size_t found, const Source& source) {
  // Divides instead of multiplying, so that a hostile header cannot cause an overflow or a large allocation.
  std::size_t remaining = found;
  bool fits = true;
  for (const std::size_t dimension : shape) {
    if (dimension == 0) source.fail(fmt::format("the file has no samples: its shape is {}", to_string(shape)));
    fits = fits && remaining % dimension == 0;
    remaining /= dimension;
  }
  if (!fits || remaining != 1)
    source.fail(fmt::format("{} bytes after the header do not match the shape {}; download the file again", found,
                            to_string(shape)));
}

}  // namespace

IdxFile read_idx(const std::filesystem::path& path, std::size_t rank, std::string_view dataset) {
  const Source source{path.string(), dataset};
  const std::size_t header = 4 + 4 * rank;
  IdxFile file;
  file.values = read_file(path);
  if (file.values.size() >= 4) check_magic(big_endian(file.values, 0), rank, source);
  if (file.values.size() < header)
    source.fail(fmt::format("{} bytes, expected a header of {}; download the file again", file.values.size(), header));
  for (std::size_t i = 0; i < rank; ++i) file.shape.push_back(big_endian(file.values, 4 + 4 * i));
  check_shape(file.shape, file.values.size() - header, source);
  file.values.erase(file.values.begin(), file.values.begin() + static_cast<std::ptrdiff_t>(header));
  return file;
}

}  // namespace lpot
