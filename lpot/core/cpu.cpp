#include "lpot/core/cpu.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "lpot/core/affinity.h"
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
// AVX-VNNI (256 bits) is reported in CPUID leaf 7.1, which __builtin_cpu_supports of g++ 12 does not know.
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

// ONEDNN_MAX_CPU_ISA limits the instruction sets that the kernels of the runtime use.
std::string isa_limit() {
  for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
    if (const char* value = std::getenv(name)) return lower(value);
  return "";
}

}  // namespace

void limit_to_isa(Cpu& cpu, std::string_view isa) {
  if (isa.empty() || isa == "default" || isa == "all") return;
  const bool wide = isa.starts_with("avx512") || isa.starts_with("avx10");
  const bool has_vnni = isa.find("vnni") != std::string_view::npos || isa.find("bf16") != std::string_view::npos ||
                        isa.find("fp16") != std::string_view::npos || isa.find("amx") != std::string_view::npos ||
                        isa.starts_with("avx10");
  cpu.avx2 = cpu.avx2 && (wide || isa.starts_with("avx2"));
  cpu.avx512 = cpu.avx512 && wide;
  cpu.vnni = cpu.vnni && has_vnni;
  cpu.amx = cpu.amx && isa.find("amx") != std::string_view::npos;
}

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

int thread_count(int asked) { return asked > 0 ? asked : std::max(1, static_cast<int>(usable_cores().size())); }

Cpu detect_cpu() {
  Cpu cpu;
  cpu.name = cpuinfo("model name");
  cpu.cores = thread_count(0);
#if defined(__x86_64__)
  __builtin_cpu_init();
  cpu.avx2 = __builtin_cpu_supports("avx2") != 0;
  cpu.avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0;
  cpu.vnni = (cpu.avx512 && __builtin_cpu_supports("avx512vnni") != 0) || has_avx_vnni();
  cpu.amx = has_amx_int8();
#else
  cpu.vnni = (" " + cpuinfo("Features") + " ").find(" asimddp ") != std::string::npos;
#endif
  limit_to_isa(cpu, isa_limit());
  return cpu;
}

}  // namespace lpot
