// Reads an array in NumPy's .npy format row by row, so that files may be larger than memory. Throws if the file
// shrinks.
#pragma once
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "lpot/core/tensor.h"

namespace lpot {

class NpyFile {
 public:
  // Reads and checks the header. Throws DataError unless the array has little-endian numbers or booleans in C order and
  // the format version is 1 to 3.
  explicit NpyFile(std::filesystem::path);

  const std::filesystem::path& path() const { return path_; }
  ElementType element_type() const { return type_; }
  const Shape& shape() const { return shape_; }
  std::size_t rows() const { return shape_[0]; }
  Tensor row(std::size_t index) const;  // a copy; can be called from several threads

 private:
  std::filesystem::path path_;
  std::shared_ptr<std::FILE> file_;
  ElementType type_ = ElementType::F32;
  Shape shape_;
  std::uint64_t data_offset_ = 0;
  std::size_t row_bytes_ = 0;
};

}  // namespace lpot
