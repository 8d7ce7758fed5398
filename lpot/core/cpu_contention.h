// Measures how much CPU time other programs use during a measurement.
//
//   const CpuContention load;
//   const double latency_ms = measure();
//   if (load.share() > 0.3) observer.log(LogLevel::Warning, "other programs disturbed the measurement");
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace lpot {

// CPU time of all cores in clock ticks since the machine started.
struct CpuTicks {
  std::uint64_t total = 0;
  std::uint64_t busy = 0;  // used by any program, or stolen by other virtual machines on the same host

  bool operator==(const CpuTicks&) const = default;
};
std::optional<CpuTicks> parse_cpu_ticks(const std::string& proc_stat);

// User and system time in the content of /proc/PID/stat; 0 if it cannot be parsed.
std::uint64_t parse_process_ticks(const std::string& proc_pid_stat);

class CpuContention {
 public:
  // `process`: a child process that does the measured work; 0: none.
  explicit CpuContention(pid_t process = 0);
  // The share (0..1) of the CPU time since construction that other programs used; 0 if it is unknown.
  double share() const;

 private:
  std::optional<CpuTicks> before_;
  pid_t process_;
  std::uint64_t own_before_;
};

}  // namespace lpot
