#include "lpot/model/sandboxed_load.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "lpot/core/clock.h"
#include "lpot/core/error.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr int kRefused = 97;  // no code that a sanitizer or a library ends with
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;  // the sanitizers' own would count too
#else
constexpr bool kLimitsMemory = true;
#endif
constexpr std::uint64_t kRoom = std::uint64_t{4} << 30;
constexpr std::uint64_t kRoomPerByte = 8;
constexpr std::size_t kMostText = 60'000;  // a pipe takes so much without a reader
// A copy of a process with threads has only the one that made it. Another may have held a lock of the memory allocator
// or a library at that moment, and the copy then waits for ever: after so long, the model is read without it.
constexpr double kPatienceSeconds = 20;

// Bytes of this process that count against the limit.
std::uint64_t data_bytes() {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;)
    if (std::uint64_t kilobytes = 0; word == "VmData:" && file >> kilobytes) return kilobytes << 10;
  return 0;
}

void lower_limit(int resource, rlim_t value) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_max, std::min(limit.rlim_cur, value));
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

// The copy: whatever happens, it ends here.
[[noreturn]] void run_copy(const std::function<void()>& load, std::uint64_t file_bytes, unsigned seconds, int message) {
  for (const int one : {SIGINT, SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) ::signal(one, SIG_DFL);
  // What libraries print about the file is printed again, or told by the error.
  if (const int nowhere = ::open("/dev/null", O_WRONLY); nowhere >= 0) {
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
  }
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_CPU, seconds + (file_bytes >> 20));
  if (kLimitsMemory) lower_limit(RLIMIT_DATA, data_bytes() + kRoom + kRoomPerByte * file_bytes);
  int code = 0;
  try {
    load();
  } catch (const std::exception& error) {
    const std::string text = std::string(error.what()).substr(0, kMostText);
    [[maybe_unused]] const ssize_t written = ::write(message, text.data(), text.size());
    code = kRefused;
  } catch (...) {
    code = kRefused;
  }
  ::_exit(code);
}

// Everything up to the end, which comes with the end of the copy; nothing where it takes longer than so many seconds.
std::optional<std::string> read_to_end(int from, double seconds) {
  std::string text;
  std::array<char, 4096> buffer{};
  const Clock::time_point start = Clock::now();
  while (seconds_since(start) < seconds) {
    pollfd ready{from, POLLIN, 0};
    if (::poll(&ready, 1, 1000) <= 0) continue;
    const ssize_t count = ::read(from, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return std::nullopt;
}

bool was_stopped_by_somebody(int signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP; }

}  // namespace

bool has_one_thread() {
  std::error_code error;
  std::size_t threads = 0;
  for (fs::directory_iterator task("/proc/self/task", error), end; !error && task != end; task.increment(error))
    ++threads;
  return !error && threads == 1;
}

ReadingCopy::ReadingCopy(const std::function<void()>& load, std::uint64_t file_bytes, unsigned seconds)
    : has_threads_(!has_one_thread()) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  child_ = ::fork();
  if (child_ == 0) run_copy(load, file_bytes, seconds, ends[1]);
  ::close(ends[1]);
  message_ = ends[0];
}

ReadingCopy::~ReadingCopy() {
  if (message_ >= 0) ::close(message_);
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) continue;
}

bool ReadingCopy::check(const fs::path& path) {
  if (child_ <= 0) return false;
  const double patience = has_threads_ ? kPatienceSeconds : std::numeric_limits<double>::infinity();
  const std::optional<std::string> message = read_to_end(message_, patience);
  if (!message) return false;  // the destructor ends it
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) continue;
  child_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kRefused)
    throw ModelError("load_model", message->starts_with("[load_model] ") ? message->substr(13) : *message);
  if (WIFSIGNALED(status) && was_stopped_by_somebody(WTERMSIG(status))) return false;
  const std::string how = WIFSIGNALED(status)
                              ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                              : fmt::format("exit code {}", WEXITSTATUS(status));
  throw ModelError("load_model",
                   fmt::format("{}: reading it ended the reader by {}; the file is damaged: fetch or export it again",
                               path.string(), how));
}

}  // namespace lpot
