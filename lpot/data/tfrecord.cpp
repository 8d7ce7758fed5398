#include "lpot/data/tfrecord.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "lpot/core/error.h"
#include "lpot/data/files.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kHeader = 12;  // length and its checksum
constexpr std::uint64_t kFooter = 4;   // checksum of the bytes
constexpr std::uint64_t kMaxRecord = std::uint64_t{1} << 30;

// A file opened for reading at any offset.
class Input {
 public:
  explicit Input(const fs::path& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Input() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  bool read(std::uint64_t offset, std::span<std::uint8_t> to) const {
    while (!to.empty()) {
      const ssize_t count = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      offset += static_cast<std::uint64_t>(count);
      to = to.subspan(static_cast<std::size_t>(count));
    }
    return true;
  }

 private:
  int descriptor_;
};

template <typename T>
T little_endian(std::span<const std::uint8_t> bytes) {
  T value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

bool is_record_name(const std::string& name) {
  return name.find("-of-") != std::string::npos || name.ends_with(".tfrecord") || name.ends_with(".tfrecords") ||
         name.ends_with(".record");
}

std::vector<fs::path> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<fs::path> files;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return files;
}

std::vector<fs::path> record_files_in(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> all, preferred;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || !is_record_name(name)) continue;
    all.push_back(entry.path());
    if (name.starts_with(prefix)) preferred.push_back(entry.path());
  }
  return preferred.empty() ? all : preferred;
}

}  // namespace

TFRecords::TFRecords(std::string dataset, std::vector<fs::path> files)
    : dataset_(std::move(dataset)), files_(std::move(files)) {
  for (std::uint32_t file = 0; file < files_.size(); ++file) walk(file);
  if (places_.empty())
    throw DataError(dataset_,
                    fmt::format("{}: the file contains no records", files_.empty() ? "" : files_[0].string()));
}

void TFRecords::walk(std::uint32_t file) {
  const fs::path& path = files_[file];
  std::uint32_t number = 0;
  const auto fail = [&](const std::string& message) {
    throw DataError(dataset_, fmt::format("{}: record {}: {}", path.string(), number, message));
  };
  const Input input(path);
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (error) fail(error.message());
  std::array<std::uint8_t, kHeader> header{};
  for (std::uint64_t offset = 0; offset < size; ++number) {
    if (size - offset < kHeader || !input.read(offset, header))
      fail("the file ends inside the header of the record; download it again");
    const auto length = little_endian<std::uint64_t>(header);
    if (little_endian<std::uint32_t>(std::span(header).subspan(8)) != masked(crc32c(std::span(header).first(8))))
      fail("the checksum of the length is wrong; expected a complete, uncompressed TFRecord file");
    offset += kHeader;
    if (length > size - offset || size - offset - length < kFooter)
      fail(
          fmt::format("the record has {} bytes, but the file ends after {}; download it again", length, size - offset));
    if (length > kMaxRecord) fail(fmt::format("the record has {} bytes; expected at most {}", length, kMaxRecord));
    places_.push_back({file, number, offset, length});
    offset += length + kFooter;
  }
}

std::vector<std::uint8_t> TFRecords::read(std::size_t index) const {
  check_index(dataset_, index, size());
  const Place& place = places_[index];
  std::vector<std::uint8_t> bytes(place.length + kFooter);
  if (!Input(files_[place.file]).read(place.offset, bytes))
    throw DataError(dataset_, fmt::format("{}: cannot read the record: {}", describe(index), std::strerror(errno)));
  const auto stored = little_endian<std::uint32_t>(std::span(bytes).last(kFooter));
  bytes.resize(place.length);
  if (masked(crc32c(bytes)) != stored)
    throw DataError(dataset_, fmt::format("{}: the checksum is wrong; download the file again", describe(index)));
  return bytes;
}

std::string TFRecords::describe(std::size_t index) const {
  const Place& place = places_.at(index);
  return fmt::format("{}: record {}", files_[place.file].string(), place.number);
}

std::vector<fs::path> find_record_files(const std::string& dataset, const std::string& root,
                                        const std::string& prefix) {
  std::error_code ignored;
  if (fs::is_regular_file(root, ignored)) return {root};
  const bool folder = fs::is_directory(root, ignored);
  std::vector<fs::path> files = folder ? record_files_in(root, prefix) : matches(root);
  if (files.empty())
    throw DataError(dataset, folder ? fmt::format("{}: the folder contains no record files; expected names like "
                                                  "validation-00000-of-00128 or *.tfrecord",
                                                  root)
                                    : fmt::format("{}: no such file or folder", root));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace lpot
