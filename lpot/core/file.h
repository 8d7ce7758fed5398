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

// All bytes of a file; one that is compressed with gzip is unpacked. Throws DataError (missing, unreadable, damaged gz,
// more than `max_bytes` when unpacked: a small gz file can unpack to any size).
std::vector<std::uint8_t> read_file(const std::filesystem::path&, std::uint64_t max_bytes = kMaxFileBytes);

// Writes atomically. Throws StoreError that names the file and the system's reason (no space, read-only, ...).
void write_file(const std::filesystem::path&, std::string_view content);

// Lets `write` produce a file under a temporary name beside `target`, syncs it and renames it to `target`.
void replace_file(const std::filesystem::path& target, const std::function<void(const std::filesystem::path&)>& write);

// Waits until the file's (or folder's) content is on the disk. Throws StoreError.
void sync_file(const std::filesystem::path&);

// Makes the folder and its parents. Throws StoreError.
void make_folder(const std::filesystem::path&);

// 64-bit FNV-1a as 16 hexadecimal digits: tells files and configurations apart, no defence against forgery.
class Fingerprint {
 public:
  Fingerprint& add(std::string_view bytes);
  std::string hex() const;

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ull;
};

// Reads a file once and passes its bytes to `use`, piece by piece. Throws DataError.
void read_pieces(const std::filesystem::path&, const std::function<void(std::string_view)>& use);

// Fingerprint of a file's bytes, read in pieces. Throws DataError.
std::string fingerprint_file(const std::filesystem::path&);

}  // namespace lpot
