// The idx format of MNIST: a magic number with the rank, big-endian dimensions, then bytes.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "lpot/core/tensor.h"

namespace lpot {

struct IdxFile {
  Shape shape;
  std::vector<std::uint8_t> values;
};

// Reads a file of unsigned bytes with this number of dimensions, plain or .gz. Throws DataError with the operation
// `dataset`.
IdxFile read_idx(const std::filesystem::path&, std::size_t rank, std::string_view dataset);

}  // namespace lpot
