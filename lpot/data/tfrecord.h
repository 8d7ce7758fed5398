// TensorFlow's record files: each record is its length, a checksum of the length, the bytes and a checksum of them.
//
//   const TFRecords records("ImageRecord", find_record_files("ImageRecord", "/data/imagenet"));
//   const Example example(records.read(7));
//
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace lpot {

// Records of several files by one index. Opening walks over the lengths, so that any record can be read alone.
class TFRecords {
 public:
  // `dataset` stands in errors. Throws DataError that names file and record: cut, damaged length, no records at all.
  TFRecords(std::string dataset, std::vector<std::filesystem::path> files);

  std::size_t size() const { return places_.size(); }
  const std::vector<std::filesystem::path>& files() const { return files_; }

  // The bytes of a record, after their checksum was compared. May be called from several threads.
  std::vector<std::uint8_t> read(std::size_t index) const;

  // "val-00000-of-00004.tfrecord: record 17", counted from 0 in its file; for messages.
  std::string describe(std::size_t index) const;

 private:
  struct Place {
    std::uint32_t file = 0;
    std::uint32_t number = 0;  // in its file
    std::uint64_t offset = 0;  // of the bytes
    std::uint64_t length = 0;
  };
  void walk(std::uint32_t file);

  std::string dataset_;
  std::vector<std::filesystem::path> files_;
  std::vector<Place> places_;
};

// The files that `root` stands for: itself, those of a folder that are named *-of-*, *.tfrecord, *.tfrecords or
// *.record (only those that start with `prefix` where there are any), or those that match it as a pattern with *.
// Sorted by name. Throws DataError when there are none.
std::vector<std::filesystem::path> find_record_files(const std::string& dataset, const std::string& root,
                                                     const std::string& prefix = "");

// CRC-32C (Castagnoli), and as the files store it.
std::uint32_t crc32c(std::span<const std::uint8_t> bytes);
constexpr std::uint32_t masked(std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

}  // namespace lpot
