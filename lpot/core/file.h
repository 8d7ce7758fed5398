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

// All bytes of a file; one that ends in .gz is unpacked. Throws DataError (missing, unreadable, damaged gz).
std::vector<std::uint8_t> read_file(const std::filesystem::path&);

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

// Fingerprint of a file's bytes, read in pieces. Throws DataError.
std::string fingerprint_file(const std::filesystem::path&);

}  // namespace lpot
