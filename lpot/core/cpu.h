// What the CPU can do, and the class of CPUs for which measured choices (kernel variants, half range) are valid.
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
  bool vnni = false;  // accumulates 8-bit products in 32 bits: AVX512-VNNI, AVX-VNNI or Arm dot product
  bool amx = false;
  int cores = 1;

  // CPUs that accumulate 8-bit products in 16 bits overflow with full-range weights, so weights use half the range.
  bool needs_half_range() const { return !vnni && !amx; }
  std::string cpu_class() const;  // "avx2", "avx512", "avx512_vnni", "amx", "arm_dotprod", "generic"
};

// The CPU of this machine, limited by the environment variable ONEDNN_MAX_CPU_ISA.
Cpu detect_cpu();

// Returns `asked`, or for 0 the number of cores that this process may use.
int thread_count(int asked);

// Clears the features above an instruction set in oneDNN's naming ("avx2", "avx512_core", "avx512_core_vnni", ...).
void limit_to_isa(Cpu&, std::string_view isa);

}  // namespace lpot
