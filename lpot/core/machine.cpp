#include "lpot/core/machine.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "lpot/core/cpu_contention.h"
#include "lpot/core/text.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

std::string read_text_file(const fs::path& path) {
  std::ifstream file(path);
  return trim(std::string(std::istreambuf_iterator<char>(file), {}));
}

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || parsed.ec != std::errc()) return std::nullopt;
  return value;
}

// The folder of this process in the unified hierarchy, from a line "0::/user.slice/...".
fs::path cgroup_folder(const fs::path& root) {
  std::istringstream lines(read_text_file(root / "proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0::/")) return root / "sys/fs/cgroup" / line.substr(4);
  return root / "sys/fs/cgroup";
}

// The smallest limit of this group and the groups above it.
template <typename Value, typename Parse>
std::optional<Value> smallest_limit(const fs::path& root, const std::string& file, Parse parse) {
  std::optional<Value> smallest;
  const fs::path top = root / "sys/fs/cgroup";
  for (fs::path folder = cgroup_folder(root);; folder = folder.parent_path()) {
    const std::optional<Value> limit = parse(read_text_file(folder / file));
    if (limit && (!smallest || *limit < *smallest)) smallest = limit;
    if (folder == top || folder == folder.parent_path()) return smallest;
  }
}

// CPU limit of version 1 of control groups, which has two files.
std::optional<double> old_cpu_limit(const fs::path& root) {
  const fs::path folder = root / "sys/fs/cgroup/cpu";
  const auto quota = parse_number<double>(read_text_file(folder / "cpu.cfs_quota_us"));
  const auto period = parse_number<double>(read_text_file(folder / "cpu.cfs_period_us"));
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

}  // namespace

std::optional<std::uint64_t> parse_meminfo(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key + ":"))
      if (const auto kilobytes = parse_number<std::uint64_t>(trim(line.substr(key.size() + 1))))
        return *kilobytes * 1024;
  return std::nullopt;
}

std::optional<double> parse_cpu_max(const std::string& text) {
  const auto space = text.find(' ');
  if (space == std::string::npos) return std::nullopt;
  const auto quota = parse_number<double>(std::string_view(text).substr(0, space));
  const auto period = parse_number<double>(std::string_view(text).substr(space + 1));
  if (!quota || !period || *period <= 0) return std::nullopt;
  return *quota / *period;
}

int count_cores(const std::string& list) {
  int count = 0;
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    const auto dash = range.find('-');
    const auto first = parse_number<int>(std::string_view(range).substr(0, dash));
    const auto last = dash == std::string::npos ? first : parse_number<int>(std::string_view(range).substr(dash + 1));
    if (first && last && *last >= *first) count += *last - *first + 1;
  }
  return count;
}

Machine inspect_machine(double measured_seconds, const fs::path& root) {
  const CpuContention contention;
  const fs::path cores = root / "sys/devices/system/cpu";
  Machine machine;
  machine.cpu = detect_cpu();
  for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
    if (const char* value = std::getenv(name); value && machine.isa_limit.empty()) machine.isa_limit = value;
  machine.logical_cores = std::max(machine.cpu.cores, count_cores(read_text_file(cores / "online")));
  machine.threads_per_core = std::max(1, count_cores(read_text_file(cores / "cpu0/topology/thread_siblings_list")));
  machine.governor = read_text_file(cores / "cpu0/cpufreq/scaling_governor");
  machine.cgroup_cpus = smallest_limit<double>(root, "cpu.max", parse_cpu_max);
  if (!machine.cgroup_cpus) machine.cgroup_cpus = old_cpu_limit(root);
  const std::string memory = read_text_file(root / "proc/meminfo");
  machine.memory_bytes = parse_meminfo(memory, "MemTotal").value_or(0);
  machine.available_bytes = parse_meminfo(memory, "MemAvailable").value_or(0);
  machine.cgroup_bytes = smallest_limit<std::uint64_t>(
      root, "memory.max", [](const std::string& text) { return parse_number<std::uint64_t>(text); });
  machine.is_virtual = read_text_file(root / "proc/cpuinfo").find(" hypervisor") != std::string::npos;
  std::this_thread::sleep_for(std::chrono::duration<double>(measured_seconds));
  machine.busy_share = contention.share();
  return machine;
}

std::vector<SpeedLimit> speed_limits(const Machine& machine) {
  std::vector<SpeedLimit> limits;
  const Cpu& cpu = machine.cpu;
  if (!machine.isa_limit.empty())
    limits.push_back({fmt::format("ONEDNN_MAX_CPU_ISA={} hides instructions of the CPU.", machine.isa_limit),
                      "Unset it, unless you test for another CPU."});
  if (!cpu.vnni && !cpu.amx)
    limits.push_back(
        {"The CPU has no VNNI, so int8 gains less, and weights use half the range where sums may overflow.",
         "Expect 1.2 to 2 times the speed of fp32; a CPU with VNNI reaches 2 to 4 times."});
  if (!cpu.avx2 && cpu.cpu_class() == "generic")
    limits.push_back({"The CPU has no AVX2; int8 is hardly faster than fp32.", "Use a newer CPU."});
  if (machine.cgroup_cpus && *machine.cgroup_cpus < cpu.cores)
    limits.push_back({fmt::format("The control group allows {:.2g} cores, but {} threads would start.",
                                  *machine.cgroup_cpus, cpu.cores),
                      fmt::format("Limit the threads, for example with taskset, to {}.",
                                  std::max(1, static_cast<int>(*machine.cgroup_cpus)))});
  if (cpu.cores < machine.logical_cores)
    limits.push_back({fmt::format("This process may use {} of {} cores.", cpu.cores, machine.logical_cores),
                      "Start it without taskset or with more cores."});
  if (machine.threads_per_core > 1)
    limits.push_back(
        {fmt::format("Each core runs {} hyper-threads, which share its int8 units.", machine.threads_per_core),
         "Compare 'lpot bench --threads' with one thread per core."});
  if (!machine.governor.empty() && machine.governor != "performance")
    limits.push_back({fmt::format("The frequency governor is {}.", machine.governor),
                      "Set it to performance, so that latencies are short and repeatable."});
  if (machine.busy_share > kQuietShare)
    limits.push_back({fmt::format("Other programs use {:.0f}% of the CPU time.", 100 * machine.busy_share),
                      "Stop them before you compare speeds; 'lpot bench' compares interleaved runs."});
  constexpr std::uint64_t kLittleMemory = std::uint64_t{1} << 30;
  if (machine.available_bytes > 0 && machine.available_bytes < kLittleMemory)
    limits.push_back({"Less than 1 GB of memory is free.", "Close programs, or tune with small batches."});
  return limits;
}

}  // namespace lpot
