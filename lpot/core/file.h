// Files: whole reads, and writes that either happen completely or not at all.
//
//   write_file("deploy.yaml", text);   // temporary name, synced, renamed; an interrupted write leaves the old file
//
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{4} << 30;

// Reads all bytes of a file; a gzip file is decompressed. Throws DataError if the file cannot be read, is damaged or is
// larger than `max_bytes` after decompression (a small gzip file can decompress to any size).
std::vector<std::uint8_t> read_file(const std::filesystem::path&, std::uint64_t max_bytes = kMaxFileBytes);

// Writes a file atomically. Throws StoreError with the file and the error of the system (no space, read-only, ...).
void write_file(const std::filesystem::path&, std::string_view content);

// Calls `write` with a temporary name in the folder of `target`, syncs the file and renames it to `target`.
void replace_file(const std::filesystem::path& target, const std::function<void(const std::filesystem::path&)>& write);

// Waits until the file's (or folder's) content is on the disk. Throws StoreError.
void sync_file(const std::filesystem::path&);

// Creates the folder and its parents. Throws StoreError.
void create_folder(const std::filesystem::path&);

// 64-bit FNV-1a hash as 16 hexadecimal digits. Identifies files and configurations; it is not cryptographic.
class Fingerprint {
 public:
  Fingerprint& add(std::string_view bytes);
  std::string hex() const;

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ull;
};

// Reads a file in pieces and passes each piece to `use`. Throws DataError.
void read_pieces(const std::filesystem::path&, const std::function<void(std::string_view)>& use);

// Computes the fingerprint of a file. Throws DataError.
std::string fingerprint_file(const std::filesystem::path&);

}  // namespace lpot
