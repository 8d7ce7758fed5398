#include "lpot/data/tfrecord_writer.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/data/tfrecord.h"
#include "lpot/proto/proto_writer.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

using proto::block;

// The bytes of a number in the byte order of this machine, which is little-endian.
template <typename T>
std::string little_endian(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// The messages are listed in tf_example.cpp.
std::string encode(const std::vector<std::int64_t>& values) { return block(3, proto::integers(1, values)); }

std::string encode(const std::vector<float>& values) { return block(2, proto::numbers(1, values)); }

std::string encode(const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += block(1, value);
  return block(1, list);
}

std::uint32_t checksum(std::string_view bytes) {
  return masked(crc32c({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
}

}  // namespace

std::string encode_example(const std::map<std::string, FeatureValues>& features) {
  std::string entries;
  for (const auto& [name, values] : features)
    entries += block(1, block(1, name) + block(2, std::visit([](const auto& each) { return encode(each); }, values)));
  return block(1, entries);
}

TFRecordWriter::TFRecordWriter(fs::path path)
    : path_(std::move(path)), unfinished_(path_.string() + ".tmp"), file_(unfinished_, std::ios::binary) {
  check("opened");
}

TFRecordWriter::~TFRecordWriter() {
  if (!file_.is_open()) return;
  file_.close();
  std::error_code ignored;
  fs::remove(unfinished_, ignored);
}

void TFRecordWriter::add(std::string_view record) {
  const std::string length = little_endian(static_cast<std::uint64_t>(record.size()));
  file_ << length << little_endian(checksum(length)) << record << little_endian(checksum(record));
  check("written");
}

void TFRecordWriter::finish() {
  file_.flush();
  check("written");
  file_.close();
  sync_file(unfinished_);
  fs::rename(unfinished_, path_);
}

void TFRecordWriter::check(const char* doing) const {
  if (!file_)
    throw StoreError("TFRecord", fmt::format("{}: cannot be {}: {}", path_.string(), doing, std::strerror(errno)));
}

}  // namespace lpot
