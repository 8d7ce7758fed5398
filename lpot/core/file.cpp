#include "lpot/core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "lpot/core/error.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kPiece = 1 << 20;

std::string reason() { return std::strerror(errno); }

// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

void check_readable_file(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw DataError("read", fmt::format("{}: no such file", path.string()));
  if (fs::is_directory(path, error))
    throw DataError("read", fmt::format("{}: this is a folder; expected a file", path.string()));
}

}  // namespace

std::vector<std::uint8_t> read_file(const fs::path& path, std::uint64_t max_bytes) {
  check_readable_file(path);
  // zlib returns the bytes of other files unchanged, so this works for both.
  const std::unique_ptr<gzFile_s, decltype(&gzclose)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw DataError("read", fmt::format("{}: {}", path.string(), reason()));
  gzbuffer(file.get(), 1 << 18);
  std::error_code unknown;
  const std::uint64_t size = fs::file_size(path, unknown);
  // One byte more than the file size, so that one call reads a plain file and detects its end.
  std::size_t piece = unknown ? kPiece : static_cast<std::size_t>(std::min(size, max_bytes)) + 1;
  std::vector<std::uint8_t> content;
  while (true) {
    const std::size_t used = content.size();
    piece = std::min<std::size_t>(piece, 1 << 30);  // gzread takes an int
    content.resize(used + piece);
    const int count = gzread(file.get(), content.data() + used, static_cast<unsigned>(piece));
    if (count < 0) {
      int code = 0;
      throw DataError("read",
                      fmt::format("{}: damaged after {} bytes: {}", path.string(), used, gzerror(file.get(), &code)));
    }
    content.resize(used + static_cast<std::size_t>(count));
    if (content.size() > max_bytes)
      throw DataError("read", fmt::format("{}: larger than {} bytes after decompression, which is the limit",
                                          path.string(), max_bytes));
    if (static_cast<std::size_t>(count) < piece) break;
    piece = std::max(kPiece, content.size());
  }
  // For a truncated gzip file, zlib returns the available bytes and then Z_BUF_ERROR.
  int code = Z_OK;
  gzerror(file.get(), &code);
  if (code != Z_OK && code != Z_STREAM_END)
    throw DataError("read",
                    fmt::format("{}: the compressed data is truncated. Download the file again.", path.string()));
  return content;
}

void sync_file(const fs::path& path) {
  const Descriptor file(path, O_RDONLY);
  if (file.get() < 0 || ::fsync(file.get()) != 0)
    throw StoreError("write", fmt::format("{}: cannot sync: {}", path.string(), reason()));
}

void replace_file(const fs::path& target, const std::function<void(const fs::path&)>& write) {
  // The temporary name has the same extension (model.tmp.xml), because some writers check it.
  const fs::path temporary =
      folder_of(target) / fmt::format("{}.{}.tmp{}", target.stem().string(), ::getpid(), target.extension().string());
  try {
    write(temporary);
    sync_file(temporary);
    if (::rename(temporary.c_str(), target.c_str()) != 0)
      throw StoreError("write", fmt::format("{}: {}", target.string(), reason()));
    sync_file(folder_of(target));
  } catch (...) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
}

void write_file(const fs::path& path, std::string_view content) {
  replace_file(path, [&](const fs::path& temporary) {
    const Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    if (file.get() < 0) throw StoreError("write", fmt::format("{}: {}", path.string(), reason()));
    while (!content.empty()) {
      const ssize_t written = ::write(file.get(), content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw StoreError("write", fmt::format("{}: {}", path.string(), reason()));
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  });
}

void create_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw StoreError("create folder", fmt::format("{}: {}", path.string(), error.message()));
  if (!fs::is_directory(path))
    throw StoreError("create folder", fmt::format("{}: a file of that name exists; expected a folder", path.string()));
}

Fingerprint& Fingerprint::add(std::string_view bytes) {
  for (const char byte : bytes) {
    state_ ^= static_cast<unsigned char>(byte);
    state_ *= 0x100000001b3ull;
  }
  return *this;
}

std::string Fingerprint::hex() const { return fmt::format("{:016x}", state_); }

void read_pieces(const fs::path& path, const std::function<void(std::string_view)>& use) {
  check_readable_file(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError("read", fmt::format("{}: {}", path.string(), reason()));
  std::string piece(kPiece, '\0');
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0)
    use(std::string_view(piece).substr(0, static_cast<std::size_t>(file.gcount())));
}

std::string fingerprint_file(const fs::path& path) {
  Fingerprint fingerprint;
  read_pieces(path, [&](std::string_view piece) { fingerprint.add(piece); });
  return fingerprint.hex();
}

}  // namespace lpot
