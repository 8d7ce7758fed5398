// Makes calls of the operating system fail, in a program that knows nothing of it (LD_PRELOAD).
//
//   LD_PRELOAD=libfaults.so FAULT_FOLDER=/tmp/x FAULT_COUNT=/tmp/counts lpot tune ...          counts the calls
//   LD_PRELOAD=libfaults.so FAULT_FOLDER=/tmp/x FAULT_CALL=write FAULT_AT=17 FAULT_DO=ENOSPC FAULT_LASTS=1 lpot tune
//   ...
//
// Only calls on files below FAULT_FOLDER count. FAULT_CALL is a kind (write, sync, rename, remove, truncate, create) or
// "any"; the FAULT_AT-th of them fails with the error FAULT_DO names, or kills the process: KILL before the call, CUT
// after half of a write, AFTER when it is done. With FAULT_LASTS=1 all later calls fail too, as on a disk that stays
// full. FAULT_SHARE (0 to 99) is the percentage of a failing write that is still written.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum Kind { kWrite, kSync, kRename, kRemove, kTruncate, kCreate, kKinds };
constexpr const char* kNames[] = {"write", "sync", "rename", "remove", "truncate", "create"};

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

struct Settings {
  const char* folder = std::getenv("FAULT_FOLDER");
  const char* call = std::getenv("FAULT_CALL");
  const char* what = std::getenv("FAULT_DO");
  const char* counts = std::getenv("FAULT_COUNT");
  long at = std::getenv("FAULT_AT") ? std::atol(std::getenv("FAULT_AT")) : 0;
  bool lasts = std::getenv("FAULT_LASTS") != nullptr;
  long share = std::getenv("FAULT_SHARE") ? std::atol(std::getenv("FAULT_SHARE")) : 0;
};

const Settings& settings() {
  static const Settings kSettings;
  return kSettings;
}

std::atomic<long> counted[kKinds];
std::atomic<long> matching{0};

bool is_below(const char* path) {
  const Settings& set = settings();
  if (!set.folder || !path) return false;
  char whole[2 * PATH_MAX] = "";
  if (path[0] != '/') {
    if (!::getcwd(whole, PATH_MAX)) return false;
    std::strcat(whole, "/");
  }
  std::strncat(whole, path, PATH_MAX - 1);
  return std::strncmp(whole, set.folder, std::strlen(set.folder)) == 0;
}

bool is_below(int file) {
  char link[32], path[PATH_MAX];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = ::readlink(link, path, sizeof path - 1);
  if (size <= 0) return false;
  path[size] = '\0';
  return path[0] == '/' && is_below(path);
}

int error_of(const char* name) {
  if (std::strcmp(name, "ENOSPC") == 0) return ENOSPC;
  if (std::strcmp(name, "EDQUOT") == 0) return EDQUOT;
  if (std::strcmp(name, "EROFS") == 0) return EROFS;
  return EIO;
}

enum class Fate { Passes, Fails, Killed, CutAndKilled, KilledAfter };

Fate fate_of(Kind kind) {
  ++counted[kind];
  const Settings& set = settings();
  if (!set.call || !set.what) return Fate::Passes;
  if (std::strcmp(set.call, "any") != 0 && std::strcmp(set.call, kNames[kind]) != 0) return Fate::Passes;
  const long number = ++matching;
  if (number != set.at && !(set.lasts && number > set.at)) return Fate::Passes;
  if (std::strcmp(set.what, "KILL") == 0) return Fate::Killed;
  if (std::strcmp(set.what, "CUT") == 0) return Fate::CutAndKilled;
  if (std::strcmp(set.what, "AFTER") == 0) return Fate::KilledAfter;
  return Fate::Fails;
}

void die() {
  ::kill(::getpid(), SIGKILL);
  while (true) ::pause();
}

// A call that does all or nothing.
template <typename Result, typename Call>
Result run_unless_failing(Kind kind, bool counts, Call&& call) {
  const Fate fate = counts ? fate_of(kind) : Fate::Passes;
  if (fate == Fate::Killed || fate == Fate::CutAndKilled) die();
  if (fate == Fate::Fails) {
    errno = error_of(settings().what);
    return -1;
  }
  const Result result = call();
  if (fate == Fate::KilledAfter) die();
  return result;
}

// A write may be incomplete: `call(bytes)` writes the first `bytes` bytes.
template <typename Call>
ssize_t write_out(int file, size_t size, Call&& call) {
  const Fate fate = is_below(file) ? fate_of(kWrite) : Fate::Passes;
  if (fate == Fate::Killed) die();
  if (fate == Fate::CutAndKilled) {
    if (size > 1) call(size / 2);
    die();
  }
  if (fate == Fate::Fails) {
    const size_t part = size * static_cast<size_t>(settings().share) / 100;
    if (part > 0) return call(part);
    errno = error_of(settings().what);
    return -1;
  }
  const ssize_t result = call(size);
  if (fate == Fate::KilledAfter) die();
  return result;
}

__attribute__((destructor)) void print_counts() {
  if (!settings().counts) return;
  std::FILE* file = std::fopen(settings().counts, "w");
  if (!file) return;
  for (int kind = 0; kind < kKinds; ++kind) std::fprintf(file, "%s %ld\n", kNames[kind], counted[kind].load());
  std::fclose(file);
}

mode_t mode_of(int flags, va_list arguments) {
  return flags & (O_CREAT | O_TMPFILE) ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

bool creates(int flags) { return (flags & O_CREAT) != 0; }

}  // namespace

// NOLINTBEGIN: these have the names and types of the C library.
extern "C" {

ssize_t write(int file, const void* bytes, size_t size) {
  static auto* real = next<ssize_t(int, const void*, size_t)>("write");
  return write_out(file, size, [&](size_t part) { return real(file, bytes, part); });
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  static auto* real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return write_out(file, size, [&](size_t part) { return real(file, bytes, part, offset); });
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  static auto* real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return write_out(file, size, [&](size_t part) { return real(file, bytes, part, offset); });
}

ssize_t writev(int file, const iovec* pieces, int count) {
  static auto* real = next<ssize_t(int, const iovec*, int)>("writev");
  static auto* plain = next<ssize_t(int, const void*, size_t)>("write");
  size_t size = 0;
  for (int i = 0; i < count; ++i) size += pieces[i].iov_len;
  return write_out(file, size, [&](size_t part) {
    if (part == size) return real(file, pieces, count);
    return plain(file, pieces[0].iov_base, part < pieces[0].iov_len ? part : pieces[0].iov_len);
  });
}

int fsync(int file) {
  static auto* real = next<int(int)>("fsync");
  return run_unless_failing<int>(kSync, is_below(file), [&] { return real(file); });
}

int fdatasync(int file) {
  static auto* real = next<int(int)>("fdatasync");
  return run_unless_failing<int>(kSync, is_below(file), [&] { return real(file); });
}

int ftruncate(int file, off_t size) noexcept {
  static auto* real = next<int(int, off_t)>("ftruncate");
  return run_unless_failing<int>(kTruncate, is_below(file), [&] { return real(file, size); });
}

int ftruncate64(int file, off64_t size) noexcept {
  static auto* real = next<int(int, off64_t)>("ftruncate64");
  return run_unless_failing<int>(kTruncate, is_below(file), [&] { return real(file, size); });
}

int rename(const char* from, const char* to) noexcept {
  static auto* real = next<int(const char*, const char*)>("rename");
  return run_unless_failing<int>(kRename, is_below(to), [&] { return real(from, to); });
}

int remove(const char* path) noexcept {
  static auto* real = next<int(const char*)>("remove");
  return run_unless_failing<int>(kRemove, is_below(path), [&] { return real(path); });
}

int unlink(const char* path) noexcept {
  static auto* real = next<int(const char*)>("unlink");
  return run_unless_failing<int>(kRemove, is_below(path), [&] { return real(path); });
}

int open(const char* path, int flags, ...) {
  static auto* real = next<int(const char*, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return run_unless_failing<int>(kCreate, creates(flags) && is_below(path), [&] { return real(path, flags, mode); });
}

int open64(const char* path, int flags, ...) {
  static auto* real = next<int(const char*, int, ...)>("open64");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return run_unless_failing<int>(kCreate, creates(flags) && is_below(path), [&] { return real(path, flags, mode); });
}

FILE* fopen(const char* path, const char* mode) {
  static auto* real = next<FILE*(const char*, const char*)>("fopen");
  FILE* file = nullptr;
  const bool is_new = std::strpbrk(mode, "wa") != nullptr && is_below(path);
  return run_unless_failing<int>(kCreate, is_new, [&] { return (file = real(path, mode)) ? 0 : -1; }) == 0 ? file
                                                                                                           : nullptr;
}

FILE* fopen64(const char* path, const char* mode) {
  static auto* real = next<FILE*(const char*, const char*)>("fopen64");
  FILE* file = nullptr;
  const bool is_new = std::strpbrk(mode, "wa") != nullptr && is_below(path);
  return run_unless_failing<int>(kCreate, is_new, [&] { return (file = real(path, mode)) ? 0 : -1; }) == 0 ? file
                                                                                                           : nullptr;
}

}  // extern "C"
// NOLINTEND
