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

std::uint64_t own_ticks() {
  tms own{};
  times(&own);
  return static_cast<std::uint64_t>(own.tms_utime + own.tms_stime + own.tms_cutime + own.tms_cstime);
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

CpuContention::CpuContention() : before_(ticks_now()), own_before_(own_ticks()) {}

double CpuContention::share() const {
  const auto now = ticks_now();
  if (!before_ || !now || now->total <= before_->total) return 0;
  const auto busy = static_cast<double>(now->busy - before_->busy);
  const auto own = static_cast<double>(own_ticks() - own_before_);
  return std::clamp((busy - own) / static_cast<double>(now->total - before_->total), 0.0, 1.0);
}

}  // namespace lpot
