// One array in NumPy's .npy format, read row by row: files larger than memory work, and one that shrinks is an error.
#pragma once
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "lpot/core/tensor.h"

namespace lpot {

class NpyFile {
 public:
  // Reads and checks the header. Little-endian numbers and booleans in C order, format versions 1 to 3; else DataError.
  explicit NpyFile(std::filesystem::path);

  const std::filesystem::path& path() const { return path_; }
  ElementType element_type() const { return type_; }
  const Shape& shape() const { return shape_; }
  std::size_t rows() const { return shape_[0]; }
  Tensor row(std::size_t index) const;  // in memory of its own; may be called from several threads

 private:
  std::filesystem::path path_;
  std::shared_ptr<std::FILE> file_;
  ElementType type_ = ElementType::F32;
  Shape shape_;
  std::uint64_t data_offset_ = 0;
  std::size_t row_bytes_ = 0;
};

}  // namespace lpot
