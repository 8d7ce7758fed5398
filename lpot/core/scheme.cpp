#include "lpot/core/scheme.h"

#include <array>

namespace lpot {
namespace {

constexpr std::array<std::string_view, 5> kPrecisions{"int8", "uint8", "fp32", "bf16", "fp16"};
constexpr std::array<std::string_view, 3> kInferencePrecisions{"f32", "bf16", "f16"};
constexpr std::array<std::string_view, 2> kGranularities{"per_tensor", "per_channel"};
constexpr std::array<std::string_view, 2> kSymmetries{"sym", "asym"};
constexpr std::array<std::string_view, 4> kAlgorithms{"minmax", "kl", "percentile", "mse"};
constexpr std::array<std::string_view, 3> kKernelVariantNames{"plain", "convolution", "pixels"};

template <typename Word, std::size_t Count>
std::optional<Word> find(const std::array<std::string_view, Count>& names, std::string_view name) {
  for (std::size_t i = 0; i < Count; ++i)
    if (names[i] == name) return static_cast<Word>(i);
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Precision word) { return kPrecisions[static_cast<std::size_t>(word)]; }
std::string_view to_string(InferencePrecision word) { return kInferencePrecisions[static_cast<std::size_t>(word)]; }
std::string_view to_string(Granularity word) { return kGranularities[static_cast<std::size_t>(word)]; }
std::string_view to_string(Symmetry word) { return kSymmetries[static_cast<std::size_t>(word)]; }
std::string_view to_string(Algorithm word) { return kAlgorithms[static_cast<std::size_t>(word)]; }
std::string_view to_string(KernelVariant word) { return kKernelVariantNames[static_cast<std::size_t>(word)]; }

template <>
std::optional<Precision> parse(std::string_view name) {
  return find<Precision>(kPrecisions, name);
}
template <>
std::optional<InferencePrecision> parse(std::string_view name) {
  return find<InferencePrecision>(kInferencePrecisions, name);
}
template <>
std::optional<Granularity> parse(std::string_view name) {
  return find<Granularity>(kGranularities, name);
}
template <>
std::optional<Symmetry> parse(std::string_view name) {
  return find<Symmetry>(kSymmetries, name);
}
template <>
std::optional<Algorithm> parse(std::string_view name) {
  return find<Algorithm>(kAlgorithms, name);
}
template <>
std::optional<KernelVariant> parse(std::string_view name) {
  return find<KernelVariant>(kKernelVariantNames, name);
}

Precision unquantized(InferencePrecision precision) {
  if (precision == InferencePrecision::Bf16) return Precision::Bf16;
  return precision == InferencePrecision::F16 ? Precision::Fp16 : Precision::Fp32;
}

}  // namespace lpot
