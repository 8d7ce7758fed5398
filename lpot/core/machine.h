// The machine that models run on, and what limits their speed on it.
//
//   const Machine machine = inspect_machine();
//   for (const SpeedLimit& limit : speed_limits(machine)) std::cout << limit.finding << " " << limit.advice << "\n";
//
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lpot/core/cpu.h"

namespace lpot {

struct Machine {
  Cpu cpu;
  std::string isa_limit = {};                      // ONEDNN_MAX_CPU_ISA, if it is set
  int logical_cores = 1;                           // of the machine
  int threads_per_core = 1;                        // 2 with hyper-threads
  std::optional<double> cgroup_cpus = {};          // CPU time that the control group allows, in cores
  std::uint64_t memory_bytes = 0;                  // of the machine; 0: unknown
  std::uint64_t available_bytes = 0;               // not used by programs
  std::optional<std::uint64_t> cgroup_bytes = {};  // memory limit of the control group
  std::string governor = {};  // frequency governor of core 0; "": unknown, as in most virtual machines
  bool is_virtual = false;
  double busy_share = 0;  // share of the CPU time that other programs use, 0..1
};

// Above this share of CPU time, other programs disturb measurements.
inline constexpr double kQuietShare = 0.1;

// Reads /proc and /sys below `root`. Measures `busy_share` for some time.
Machine inspect_machine(double measured_seconds = 0.5, const std::filesystem::path& root = "/");

// Something that makes models slower than the machine could run them.
struct SpeedLimit {
  std::string finding;  // a sentence
  std::string advice;   // a sentence
};
std::vector<SpeedLimit> speed_limits(const Machine&);

// The value in bytes of a line "MemAvailable:  123 kB" of /proc/meminfo.
std::optional<std::uint64_t> parse_meminfo(const std::string& text, const std::string& key);

// The number of cores in "max 100000" (none) or "150000 100000" (1.5) of cpu.max.
std::optional<double> parse_cpu_max(const std::string& text);

// The number of cores in a list such as "0-3,8".
int count_cores(const std::string& list);

}  // namespace lpot
