// Takes AVX-512 and VNNI out of what the CPUID instruction tells, for libraries that no variable holds back.
//
//   LD_AUDIT=libcpuid_mask.so LPOT_CPUID_SITES=sites PROGRAM
//
// Every line of the file of sites is the path of a library or program and the address in it, in hexadecimal, of one
// CPUID instruction (benchmarks/as_avx2.py writes it). The dynamic linker shows each object to an auditor before any of
// its code has run: these instructions are replaced by UD2, which is as long, and what that raises is answered with the
// CPU's own words less the bits below. Programs that are started by the program inherit it.
#include <cpuid.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <utility>

namespace {

constexpr std::array<unsigned char, 2> kCpuid{0x0f, 0xa2};
constexpr std::array<unsigned char, 2> kUndefined{0x0f, 0x0b};

struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

constexpr unsigned bits(std::initializer_list<int> which) {
  unsigned mask = 0;
  for (const int bit : which) mask |= 1u << bit;
  return mask;
}

Registers masked_cpuid(unsigned leaf, unsigned part) {
  Registers found;
  __cpuid_count(leaf, part, found.a, found.b, found.c, found.d);
  if (leaf != 7) return found;
  if (part == 0) {
    found.b &= ~bits({16, 17, 21, 26, 27, 28, 30, 31});  // AVX512 F, DQ, IFMA, PF, ER, CD, BW, VL
    found.c &= ~bits({1, 6, 8, 9, 10, 11, 12, 14});      // VBMI, VBMI2, GFNI, VAES, VPCLMULQDQ, VNNI, BITALG, VPOPCNTDQ
    found.d &= ~bits({2, 3, 8, 22, 23, 24, 25});         // 4VNNIW, 4FMAPS, VP2INTERSECT, AMX-BF16, FP16, AMX
  } else {
    found = {};  // AVX-VNNI, AVX512-BF16 and their like
  }
  return found;
}

void answer(int, siginfo_t*, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  if (std::memcmp(code, kUndefined.data(), kUndefined.size()) != 0) {
    signal(SIGILL, SIG_DFL);  // not one of ours: it is raised again, and ends the program
    return;
  }
  const Registers found =
      masked_cpuid(static_cast<unsigned>(registers[REG_RAX]), static_cast<unsigned>(registers[REG_RCX]));
  registers[REG_RAX] = found.a;
  registers[REG_RBX] = found.b;
  registers[REG_RCX] = found.c;
  registers[REG_RDX] = found.d;
  registers[REG_RIP] += static_cast<greg_t>(kUndefined.size());
}

void replace(unsigned char* instruction) {
  const auto page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(instruction) & ~(page_size - 1);
  void* pages = reinterpret_cast<void*>(first);
  if (std::memcmp(instruction, kCpuid.data(), kCpuid.size()) != 0) return;  // the file has changed
  if (mprotect(pages, 2 * page_size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  std::memcpy(instruction, kUndefined.data(), kUndefined.size());
  mprotect(pages, 2 * page_size, PROT_READ | PROT_EXEC);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) unsigned la_version(unsigned version) { return version; }

__attribute__((visibility("default"))) unsigned la_objopen(link_map* object, Lmid_t, std::uintptr_t*) {
  const char* sites = std::getenv("LPOT_CPUID_SITES");
  std::array<char, PATH_MAX> path{};
  const char* name = *object->l_name == '\0' ? "/proc/self/exe" : object->l_name;
  if (sites == nullptr || realpath(name, path.data()) == nullptr) return 0;
  std::FILE* file = std::fopen(sites, "r");
  if (file == nullptr) return 0;
  std::array<char, PATH_MAX + 1> of{};
  unsigned long address = 0;
  bool is_first = true;
  while (std::fscanf(file, "%4096s %lx", of.data(), &address) == 2) {
    if (std::strcmp(of.data(), path.data()) != 0) continue;
    if (std::exchange(is_first, false)) {
      struct sigaction action {};
      action.sa_sigaction = answer;
      action.sa_flags = SA_SIGINFO | SA_NODEFER;
      sigaction(SIGILL, &action, nullptr);
    }
    replace(reinterpret_cast<unsigned char*>(object->l_addr + address));
  }
  std::fclose(file);
  return 0;
}
}
