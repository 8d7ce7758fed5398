// A child process whose standard input and output are pipes to this one.
//
//   Process child({"/bin/sh", "-c", "echo 0.91"});
//   while (const std::optional<std::string> line = child.read_line(observer)) use(*line);
//   if (child.wait() != 0) throw ConfigError("evaluate", "the command failed");
//
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/observer.h"

namespace lpot {

class Process {
 public:
  // Starts the child in its own process group. It shares the standard error of this process. Throws ConfigError if it
  // cannot be started.
  explicit Process(const std::vector<std::string>& words);
  ~Process();  // kills the whole process group
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Returns nullopt at the end of the output. Throws Interrupted if the observer requests a stop.
  std::optional<std::string> read_line(const Observer& = {});
  bool write_line(const std::string&);  // false if the child no longer reads
  bool write(std::string_view bytes);   // the same, for any number of bytes
  // Reads exactly `size` bytes. False if the output ends before. Throws Interrupted if the observer requests a stop.
  bool read(void* target, std::size_t size, const Observer& = {});
  pid_t id() const { return process_; }
  int wait();  // the exit code, or 128 + the signal that ended the child

 private:
  pid_t process_ = -1;
  int in_ = -1;   // we write
  int out_ = -1;  // we read
  std::string unread_;
};

// Quotes a word for the shell.
std::string shell_quoted(const std::string& word);

}  // namespace lpot
