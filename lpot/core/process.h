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
#include <vector>

#include "lpot/core/observer.h"

namespace lpot {

class Process {
 public:
  // The child leads a process group of its own; its standard error is ours. Throws ConfigError when it cannot start.
  explicit Process(const std::vector<std::string>& words);
  ~Process();  // ends the whole group
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Nothing at the end of its output. Throws Interrupted when the observer says stop.
  std::optional<std::string> read_line(const Observer& = {});
  bool write_line(const std::string&);  // false when the child no longer reads
  int wait();                           // its exit code, or 128 and the signal that ended it

 private:
  pid_t process_ = -1;
  int in_ = -1;   // we write
  int out_ = -1;  // we read
  std::string unread_;
};

// A word as a shell takes it literally.
std::string shell_quoted(const std::string& word);

}  // namespace lpot
