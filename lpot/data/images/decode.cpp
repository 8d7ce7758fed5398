#include "lpot/data/images/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/data/images/formats.h"

namespace lpot {
namespace {

constexpr std::array<std::uint8_t, 3> kJpegStart{0xff, 0xd8, 0xff};
constexpr std::array<std::uint8_t, 8> kPngStart{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

bool starts_with(std::span<const std::uint8_t> bytes, std::span<const std::uint8_t> start) {
  return bytes.size() >= start.size() && std::equal(start.begin(), start.end(), bytes.begin());
}

}  // namespace

void check_pixels(std::uint64_t height, std::uint64_t width) {
  if (height * width > kMaxPixels)
    throw DataError("decode", fmt::format("{} x {} pixels, expected at most {} in total", height, width, kMaxPixels));
}

Tensor decode_image(std::span<const std::uint8_t> bytes) {
  if (starts_with(bytes, kJpegStart)) return decode_jpeg(bytes);
  if (starts_with(bytes, kPngStart)) return decode_png(bytes);
  if (bytes.empty()) throw DataError("decode", "the file is empty, expected a JPEG or PNG image");
  throw DataError("decode", fmt::format("the file starts with {:02x}, expected a JPEG or PNG image",
                                        fmt::join(bytes.first(std::min<std::size_t>(4, bytes.size())), " ")));
}

Tensor read_image(const ImageFile& file) {
  try {
    return decode_image(read_file(file.path));
  } catch (const DataError& error) {
    throw DataError(file.dataset, fmt::format("sample {}: {}: {}", file.index, file.path.string(), error.what()));
  }
}

}  // namespace lpot
