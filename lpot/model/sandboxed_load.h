// Loads an untrusted model in a forked process first. The front ends of OpenVINO are not hardened against damaged
// files: some crash, others use all memory. The child process has limits for memory and CPU time, and its crash does
// not affect this process.
//
//   SandboxedLoad sandbox([&] { load_model(path); }, std::filesystem::file_size(path));
//   if (sandbox.wait(path)) trust(cache, key);  // throws ModelError if the child crashed
//
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>

namespace lpot {

class SandboxedLoad {
 public:
  // Starts `load` in a child process. It may allocate 4 GiB more than this process uses and run for `cpu_seconds`;
  // both limits grow with the size of the file.
  SandboxedLoad(const std::function<void()>& load, std::uint64_t file_bytes, unsigned cpu_seconds = 20);
  ~SandboxedLoad();  // kills the child
  SandboxedLoad(const SandboxedLoad&) = delete;
  SandboxedLoad& operator=(const SandboxedLoad&) = delete;

  // Waits for the child. True: the model was loaded. False: unknown, because the child could not be started, was
  // stopped from outside or blocked on a lock. Throws the child's ModelError, or one that says how the child crashed.
  bool wait(const std::filesystem::path&);

 private:
  pid_t child_ = -1;
  int message_pipe_ = -1;  // the child writes its error message here
  bool has_threads_ = false;
};

// Whether the process has only this thread.
bool has_one_thread();

}  // namespace lpot
