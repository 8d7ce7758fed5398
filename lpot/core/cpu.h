// What the CPU can do, and the class that measured choices (kernel forms, half range) belong to.
//
//   const Cpu cpu = detect_cpu();
//   std::cout << cpu.name << ": " << cpu.cpu_class() << (cpu.needs_half_range() ? ", half range\n" : "\n");
//
#pragma once
#include <string>
#include <string_view>

namespace lpot {

struct Cpu {
  std::string name;  // "AMD EPYC 7763"
  bool avx2 = false;
  bool avx512 = false;
  bool vnni = false;  // 8-bit products summed in 32 bits: AVX512-VNNI, AVX-VNNI or, on Arm, dot product
  bool amx = false;
  int cores = 1;

  // Where 8-bit products are summed in 16 bits first, full-range weights overflow: they take half the range.
  bool needs_half_range() const { return !vnni && !amx; }
  std::string cpu_class() const;  // "avx2", "avx512", "avx512_vnni", "amx", "arm_dotprod", "generic"
};

// This machine's, as far as oneDNN's variable ONEDNN_MAX_CPU_ISA lets its kernels use it.
Cpu detect_cpu();

// As many as asked for; for 0, one per core that this process may use.
int thread_count(int asked);

// Takes away what lies above an instruction set of oneDNN's list ("avx2", "avx512_core", "avx512_core_vnni", ...).
void limit_to_isa(Cpu&, std::string_view isa);

}  // namespace lpot
