// The keys of quantization.recipes that no recipe declares. Their positions sort them among the keys of the recipes
// (RecipeKey::position).
#pragma once

namespace lpot::yaml {

inline constexpr const char* kFirstOpKey = "first_conv_or_matmul_quantization";
inline constexpr const char* kHalfRangeKey = "half_range";
inline constexpr const char* kKernelVariantsKey = "kernel_variants";
// An older name that is still accepted. describe() prints it, because its lines identify studies in existing stores.
inline constexpr const char* kKernelVariantsAlias = "forms";

inline constexpr int kFirstOpPosition = 30;
inline constexpr int kHalfRangePosition = 60;
inline constexpr int kKernelVariantsPosition = 120;

}  // namespace lpot::yaml
