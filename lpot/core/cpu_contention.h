// How busy other programs keep the machine while something is timed.
//
//   const CpuContention load;
//   const double latency_ms = measure();
//   if (load.share() > 0.3) observer.log(LogLevel::Warning, "other programs disturbed the measurement");
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace lpot {

// Of all cores, in clock ticks since the machine started.
struct CpuTicks {
  std::uint64_t total = 0;
  std::uint64_t busy = 0;  // with whatever program, or taken by other machines on the same host

  bool operator==(const CpuTicks&) const = default;
};
std::optional<CpuTicks> parse_cpu_ticks(const std::string& proc_stat);

class CpuContention {
 public:
  CpuContention();
  // Of the machine's CPU time since then, what others took: 0..1; 0 where the system does not tell.
  double share() const;

 private:
  std::optional<CpuTicks> before_;
  std::uint64_t own_before_;
};

}  // namespace lpot
