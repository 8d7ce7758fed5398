#include "lpot/core/cpu.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

#include "lpot/core/text.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace lpot {
namespace {

// The value of the first line of /proc/cpuinfo that starts with `key`, or "".
std::string cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key))
      if (const auto colon = line.find(':'); colon != std::string::npos) return trim(line.substr(colon + 1));
  return "";
}

#if defined(__x86_64__)
// AVX-VNNI (the 256-bit one) is in leaf 7.1, which __builtin_cpu_supports of g++ 12 does not know.
bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || a < 1) return false;
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) == 0) return false;
  return (a & (1u << 4)) != 0;
}

bool has_amx_int8() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & (1u << 25)) != 0;
}
#endif

}  // namespace

std::string Cpu::cpu_class() const {
#if defined(__aarch64__)
  return vnni ? "arm_dotprod" : "arm";
#else
  if (amx) return "amx";
  if (avx512) return vnni ? "avx512_vnni" : "avx512";
  if (avx2) return vnni ? "avx2_vnni" : "avx2";
  return "generic";
#endif
}

Cpu detect_cpu() {
  Cpu cpu;
  cpu.name = cpuinfo("model name");
  cpu.cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
#if defined(__x86_64__)
  __builtin_cpu_init();
  cpu.avx2 = __builtin_cpu_supports("avx2") != 0;
  cpu.avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0;
  cpu.vnni = (cpu.avx512 && __builtin_cpu_supports("avx512vnni") != 0) || has_avx_vnni();
  cpu.amx = has_amx_int8();
#else
  cpu.vnni = (" " + cpuinfo("Features") + " ").find(" asimddp ") != std::string::npos;
#endif
  return cpu;
}

}  // namespace lpot
