// The fastest kernel variant of each op of a model, and the measured times. A matrix product, for example, can run as a
// 1x1 convolution (KernelVariant in core/scheme.h).
//
//   for (const auto& [op, times] : choice.times)
//     std::cout << op << ": " << times.fp32_ms << " ms in fp32, " << times.plain_ms << " ms in int8\n";
//
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lpot/core/scheme.h"

namespace lpot {

// Times of one inference (lower quartiles).
struct OpTimes {
  double fp32_ms = 0;         // not quantized: fp32, or the 16-bit precision of the plan
  double plain_ms = 0;        // int8 with KernelVariant::Plain
  double convolution_ms = 0;  // 0: the op has no such variant

  bool operator==(const OpTimes&) const = default;
};

struct KernelVariantChoice {
  std::map<std::string, OpTimes> times;           // of every op in int8
  std::map<std::string, KernelVariant> variants;  // of ops whose variant is not plain
  std::vector<std::string> slower_in_int8;        // ops that are slower in int8, with conversions, than unquantized

  bool operator==(const KernelVariantChoice&) const = default;
};

std::string to_json(const KernelVariantChoice&);
KernelVariantChoice kernel_variants_from_json(const std::string&);  // throws StoreError

// The file that caches measured variants for other models. It is forms.json in $XDG_CACHE_HOME/lpot or ~/.cache/lpot,
// unless LPOT_FORM_MEMORY names another file. "" if LPOT_FORM_MEMORY is "off" or there is no home folder.
std::filesystem::path default_kernel_variant_cache();

}  // namespace lpot
