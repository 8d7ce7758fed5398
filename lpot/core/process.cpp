#include "lpot/core/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace lpot {
namespace {

constexpr int kPollMs = 50;  // maximum delay of a stop request

ConfigError cannot_start(const std::string& program, int error) {
  return ConfigError("process", fmt::format("cannot start {}: {}", program, std::strerror(error)));
}

// Uses sockets instead of pipes, because writing to a child that has ended then fails without a signal.
std::array<int, 2> create_channel(const std::string& program) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw cannot_start(program, errno);
  return ends;
}

}  // namespace

Process::Process(const std::vector<std::string>& words) {
  const auto [our_in, child_in] = create_channel(words.front());
  const auto [our_out, child_out] = create_channel(words.front());
  in_ = our_in;
  out_ = our_out;

  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, child_in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, child_out, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int error = ::posix_spawnp(&process_, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  ::close(child_in);
  ::close(child_out);
  if (error == 0) return;
  ::close(in_);
  ::close(out_);
  throw cannot_start(words.front(), error);
}

Process::~Process() {
  if (process_ > 0) {
    ::kill(-process_, SIGKILL);
    wait();
  }
  ::close(in_);
  ::close(out_);
}

std::optional<std::string> Process::read_line(const Observer& observer) {
  for (;;) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    observer.check_stop();
    pollfd ready{out_, POLLIN, 0};
    if (::poll(&ready, 1, kPollMs) <= 0) continue;
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(out_, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count > 0) {
      unread_.append(buffer.data(), static_cast<std::size_t>(count));
      continue;
    }
    if (unread_.empty()) return std::nullopt;
    return std::exchange(unread_, {});  // a last line without a line break
  }
}

bool Process::write_line(const std::string& line) {
  const std::string bytes = line + "\n";
  return ::send(in_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

bool Process::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(in_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool Process::read(void* target, std::size_t size, const Observer& observer) {
  char* to = static_cast<char*>(target);
  const std::size_t known = std::min(size, unread_.size());
  std::memcpy(to, unread_.data(), known);
  unread_.erase(0, known);
  for (std::size_t done = known; done < size;) {
    observer.check_stop();
    pollfd ready{out_, POLLIN, 0};
    if (::poll(&ready, 1, kPollMs) <= 0) continue;
    const ssize_t count = ::read(out_, to + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

int Process::wait() {
  ::shutdown(in_, SHUT_WR);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string shell_quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char letter : word) {
    if (letter == '\'')
      quoted.append("'\\''");
    else
      quoted.push_back(letter);
  }
  quoted.push_back('\'');
  return quoted;
}

}  // namespace lpot
