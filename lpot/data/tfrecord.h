// Reads TensorFlow record files. A record consists of its length, a checksum of the length, its bytes and a checksum of
// the bytes.
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

// The records of several files with one index. The constructor reads all lengths, so that any record can be read
// directly.
class TFRecords {
 public:
  // `dataset` is the operation in error messages. Throws DataError with the file and the record if a file is truncated,
  // a length is damaged or there are no records.
  TFRecords(std::string dataset, std::vector<std::filesystem::path> files);

  std::size_t size() const { return places_.size(); }
  const std::vector<std::filesystem::path>& files() const { return files_; }

  // Reads the bytes of a record and verifies their checksum. Can be called from several threads.
  std::vector<std::uint8_t> read(std::size_t index) const;

  // The place of a record for messages: "val-00000-of-00004.tfrecord: record 17", counted from 0 within the file.
  std::string describe(std::size_t index) const;

 private:
  struct Place {
    std::uint32_t file = 0;
    std::uint32_t number = 0;  // in its file
    std::uint64_t offset = 0;  // of its bytes
    std::uint64_t length = 0;
  };
  void walk(std::uint32_t file);

  std::string dataset_;
  std::vector<std::filesystem::path> files_;
  std::vector<Place> places_;
};

// The record files of `root`, sorted by name. `root` is a file, a pattern with * or a folder. In a folder, these are
// the files named *-of-*, *.tfrecord, *.tfrecords or *.record; if some of them start with `prefix`, only those. Throws
// DataError if there are none.
std::vector<std::filesystem::path> find_record_files(const std::string& dataset, const std::string& root,
                                                     const std::string& prefix = "");

// CRC-32C (Castagnoli), and the masked CRC that record files contain.
std::uint32_t crc32c(std::span<const std::uint8_t> bytes);
constexpr std::uint32_t masked(std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

}  // namespace lpot
