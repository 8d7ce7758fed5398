// The decoders of decode_image, one per file.
#pragma once
#include <cstdint>
#include <span>

#include "lpot/core/tensor.h"

namespace lpot {

Tensor decode_jpeg(std::span<const std::uint8_t> bytes);
Tensor decode_png(std::span<const std::uint8_t> bytes);

// Throws DataError if an image of this size must not be decoded.
void check_pixels(std::uint64_t height, std::uint64_t width);

}  // namespace lpot
