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

constexpr int kErrorExitCode = 97;  // differs from the exit codes of sanitizers and libraries
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;  // the memory of the sanitizers would count too
#else
constexpr bool kLimitsMemory = true;
#endif
constexpr std::uint64_t kMemoryBytes = std::uint64_t{4} << 30;
constexpr std::uint64_t kMemoryPerFileByte = 8;
constexpr std::size_t kMaxMessageBytes = 60'000;  // fits into the buffer of a pipe without a reader
// fork() copies only the calling thread. If another thread held a lock of the allocator or of a library at that moment,
// the child blocks forever. After this time, the model is loaded without a sandbox.
constexpr double kBlockedChildSeconds = 20;

// The memory of this process that counts against RLIMIT_DATA.
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

// The child process. Never returns.
[[noreturn]] void run_child(const std::function<void()>& load, std::uint64_t file_bytes, unsigned cpu_seconds,
                            int message_pipe) {
  for (const int one : {SIGINT, SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) ::signal(one, SIG_DFL);
  // Output of libraries is dropped here: the parent loads the model again, or reports the error.
  if (const int null_device = ::open("/dev/null", O_WRONLY); null_device >= 0) {
    ::dup2(null_device, STDOUT_FILENO);
    ::dup2(null_device, STDERR_FILENO);
  }
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_CPU, cpu_seconds + (file_bytes >> 20));
  if (kLimitsMemory) lower_limit(RLIMIT_DATA, data_bytes() + kMemoryBytes + kMemoryPerFileByte * file_bytes);
  int code = 0;
  try {
    load();
  } catch (const std::exception& error) {
    const std::string text = std::string(error.what()).substr(0, kMaxMessageBytes);
    [[maybe_unused]] const ssize_t written = ::write(message_pipe, text.data(), text.size());
    code = kErrorExitCode;
  } catch (...) {
    code = kErrorExitCode;
  }
  ::_exit(code);
}

// Reads until the child closes the pipe by exiting. Nothing if that takes longer than `seconds`.
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

bool is_stop_request(int signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP; }

}  // namespace

bool has_one_thread() {
  std::error_code error;
  std::size_t threads = 0;
  for (fs::directory_iterator task("/proc/self/task", error), end; !error && task != end; task.increment(error))
    ++threads;
  return !error && threads == 1;
}

SandboxedLoad::SandboxedLoad(const std::function<void()>& load, std::uint64_t file_bytes, unsigned cpu_seconds)
    : has_threads_(!has_one_thread()) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  child_ = ::fork();
  if (child_ == 0) run_child(load, file_bytes, cpu_seconds, ends[1]);
  ::close(ends[1]);
  message_pipe_ = ends[0];
}

SandboxedLoad::~SandboxedLoad() {
  if (message_pipe_ >= 0) ::close(message_pipe_);
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) continue;
}

bool SandboxedLoad::wait(const fs::path& path) {
  if (child_ <= 0) return false;
  const double limit_seconds = has_threads_ ? kBlockedChildSeconds : std::numeric_limits<double>::infinity();
  const std::optional<std::string> message = read_to_end(message_pipe_, limit_seconds);
  if (!message) return false;  // the destructor kills the child
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) continue;
  child_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kErrorExitCode)
    throw ModelError("load_model", message->starts_with("[load_model] ") ? message->substr(13) : *message);
  if (WIFSIGNALED(status) && is_stop_request(WTERMSIG(status))) return false;
  const std::string how = WIFSIGNALED(status)
                              ? fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                              : fmt::format("exit code {}", WEXITSTATUS(status));
  throw ModelError("load_model",
                   fmt::format("{}: the process that loaded the model ended with {}. The file is probably damaged; "
                               "download or export it again",
                               path.string(), how));
}

}  // namespace lpot
