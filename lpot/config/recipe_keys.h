// The keys of quantization.recipes that are no recipes. They share one order with the keys of recipes
// (RecipeDeclaration::position).
#pragma once

namespace lpot::yaml {

inline constexpr const char* kFirstOpKey = "first_conv_or_matmul_quantization";
inline constexpr const char* kHalfRangeKey = "half_range";
inline constexpr const char* kKernelVariantsKey = "kernel_variants";
// The older name, which stays accepted. describe() prints it, because its lines identify studies.
inline constexpr const char* kKernelVariantsAlias = "forms";

inline constexpr int kFirstOpPosition = 30;
inline constexpr int kHalfRangePosition = 60;
inline constexpr int kKernelVariantsPosition = 120;

}  // namespace lpot::yaml
