#include "lpot/core/cpu_contention.h"

#include <sys/times.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

namespace lpot {
namespace {

std::optional<CpuTicks> ticks_now() {
  std::ifstream file("/proc/stat");
  std::string line;
  return std::getline(file, line) ? parse_cpu_ticks(line) : std::nullopt;
}

// The CPU time of this process, its finished children, and a child that still runs.
std::uint64_t own_ticks(pid_t process) {
  tms own{};
  times(&own);
  const auto ticks = static_cast<std::uint64_t>(own.tms_utime + own.tms_stime + own.tms_cutime + own.tms_cstime);
  if (process <= 0) return ticks;
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  return std::getline(file, line) ? ticks + parse_process_ticks(line) : ticks;
}

}  // namespace

std::optional<CpuTicks> parse_cpu_ticks(const std::string& proc_stat) {
  std::istringstream text(proc_stat);
  std::string name;
  text >> name;
  std::vector<std::uint64_t> fields;
  for (std::uint64_t field; text >> field;) fields.push_back(field);
  // user nice system idle iowait irq softirq steal; the time of guests is included in user.
  if (name != "cpu" || fields.size() < 4) return std::nullopt;
  fields.resize(8);
  CpuTicks ticks;
  for (const std::uint64_t field : fields) ticks.total += field;
  ticks.busy = ticks.total - fields[3] - fields[4];
  return ticks;
}

std::uint64_t parse_process_ticks(const std::string& proc_pid_stat) {
  // The second field is the program's name in parentheses, which may contain spaces. utime and stime are fields 14, 15.
  const auto end_of_name = proc_pid_stat.rfind(')');
  if (end_of_name == std::string::npos) return 0;
  std::istringstream text(proc_pid_stat.substr(end_of_name + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) text >> skipped;
  std::uint64_t user = 0, system = 0;
  return text >> user >> system ? user + system : 0;
}

CpuContention::CpuContention(pid_t process)
    : before_(ticks_now()), process_(process), own_before_(own_ticks(process)) {}

double CpuContention::share() const {
  const auto now = ticks_now();
  if (!before_ || !now || now->total <= before_->total) return 0;
  const auto busy = static_cast<double>(now->busy - before_->busy);
  const auto own = static_cast<double>(own_ticks(process_) - own_before_);
  return std::clamp((busy - own) / static_cast<double>(now->total - before_->total), 0.0, 1.0);
}

}  // namespace lpot
