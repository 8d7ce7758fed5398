// A memory-mapped file. Only the parts that are accessed are loaded into memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace lpot {

class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path&);  // throws DataError
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::uint8_t> bytes() const { return {static_cast<const std::uint8_t*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace lpot
