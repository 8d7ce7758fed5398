// Pictures from the bytes of a file: JPEG and PNG, as u8 [height, width, 3] in RGB.
//
// The pixels are those of Pillow's Image.open(...).convert("RGB"): grey is repeated, a palette looked up, alpha
// dropped, CMYK as Adobe stores it. Of 16 bits the upper 8 are kept (Pillow would saturate 16-bit grey). The
// orientation that a camera notes is not applied.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "lpot/core/tensor.h"

namespace lpot {

// Throws DataError with the reason: neither JPEG nor PNG, damaged, cut, or more than kMaxPixels.
Tensor decode_image(std::span<const std::uint8_t> bytes);

// The limit of Pillow, beyond which a picture is taken for an attack on memory.
inline constexpr std::uint64_t kMaxPixels = 178956970;

// One picture of a data set, for errors that name data set, file and index.
struct ImageFile {
  std::string_view dataset;
  std::filesystem::path path;
  std::size_t index = 0;
};
Tensor read_image(const ImageFile&);

}  // namespace lpot
