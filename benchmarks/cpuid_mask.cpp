// Removes AVX-512 and VNNI from the answers of the CPUID instruction, for libraries without an environment variable
// that limits the instruction set.
//
//   LD_AUDIT=libcpuid_mask.so LPOT_CPUID_SITES=sites PROGRAM
//
// Every line of the file of sites contains the address of one CPUID instruction, in hexadecimal, and the path of the
// library or program that contains it (benchmarks/as_avx2.py writes this file). The dynamic linker calls la_objopen for
// each object before any of its code runs. There, these instructions are replaced by UD2, which has the same length.
// UD2 raises SIGILL, and the handler returns the CPU's own answer without the bits below. Child processes inherit the
// environment variables, so the replacement also applies to them.
#include <cpuid.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

constexpr std::array<unsigned char, 2> kCpuid{0x0f, 0xa2};
constexpr std::array<unsigned char, 2> kUndefined{0x0f, 0x0b};

// Where instructions were replaced, in order of replacement. A fixed table: the handler may run at any time.
constexpr std::size_t kMostSites = 4096;
std::array<std::uintptr_t, kMostSites> replaced;
std::size_t replaced_count = 0;

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
    found = {};  // AVX-VNNI, AVX512-BF16 and similar extensions
  }
  return found;
}

void handle_illegal_instruction(int, siginfo_t*, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto end = replaced.begin() + static_cast<std::ptrdiff_t>(replaced_count);
  if (std::find(replaced.begin(), end, static_cast<std::uintptr_t>(registers[REG_RIP])) == end) {
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

// Replaces a CPUID instruction. False if there is none at this address, or if its page cannot be written.
bool replace(unsigned char* instruction) {
  if (replaced_count == kMostSites || std::memcmp(instruction, kCpuid.data(), kCpuid.size()) != 0) return false;
  const auto page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto at = reinterpret_cast<std::uintptr_t>(instruction);
  const std::uintptr_t first = at & ~(page_size - 1), last = (at + kCpuid.size() - 1) & ~(page_size - 1);
  void* pages = reinterpret_cast<void*>(first);  // NOLINT(performance-no-int-to-ptr)
  const std::size_t bytes = last - first + page_size;
  if (mprotect(pages, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  replaced[replaced_count++] = at;
  std::memcpy(instruction, kUndefined.data(), kUndefined.size());
  return mprotect(pages, bytes, PROT_READ | PROT_EXEC) == 0;
}

void install_handler() {
  struct sigaction action {};
  action.sa_sigaction = handle_illegal_instruction;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGILL, &action, nullptr);
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
  install_handler();
  std::array<char, PATH_MAX + 1> of{};
  unsigned long address = 0;
  while (std::fscanf(file, "%lx %4096[^\n]", &address, of.data()) == 2)
    if (std::strcmp(of.data(), path.data()) == 0 &&
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        !replace(reinterpret_cast<unsigned char*>(object->l_addr + address)))
      std::fprintf(stderr,
                   "cpuid_mask: %s is not as it was when its instructions were looked up: remove build/as_avx2\n",
                   of.data());
  std::fclose(file);
  return 0;
}
}
