// What the CPU can do, and the class that measured choices (kernel forms, half range) belong to.
#pragma once
#include <string>

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

Cpu detect_cpu();

}  // namespace lpot
