// Decodes JPEG and PNG images to u8 [height, width, 3] in RGB.
//
// The pixels equal Pillow's Image.open(...).convert("RGB"): grey values are repeated, palettes are resolved, alpha is
// dropped, and CMYK is read as Adobe stores it. 16-bit values are reduced to their upper 8 bits (Pillow saturates
// 16-bit grey). The EXIF orientation is not applied.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "lpot/core/tensor.h"

namespace lpot {

// Throws DataError if the bytes are neither JPEG nor PNG, are damaged or truncated, or have more than kMaxPixels.
Tensor decode_image(std::span<const std::uint8_t> bytes);

// Pillow's limit. Larger images are rejected as decompression bombs.
inline constexpr std::uint64_t kMaxPixels = 178956970;

// One image of a data set. Errors contain the data set, the file and the index.
struct ImageFile {
  std::string_view dataset;
  std::filesystem::path path;
  std::size_t index = 0;
};
Tensor read_image(const ImageFile&);

}  // namespace lpot
