// The idx format of MNIST: a magic number that holds the rank, big-endian dimensions, then bytes.
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

// Reads a file of unsigned bytes with that many dimensions, plain or .gz. Throws DataError in the name of `dataset`.
IdxFile read_idx(const std::filesystem::path&, std::size_t rank, std::string_view dataset);

}  // namespace lpot
