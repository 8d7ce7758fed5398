// The terms of quantization that the configuration, the statistics and the plans share.
//
//   std::cout << to_string(Algorithm::Kl);                           // kl
//   const std::optional<Symmetry> symmetry = parse<Symmetry>("sym");  // Symmetry::Symmetric
//
#pragma once
#include <optional>
#include <string_view>

namespace lpot {

enum class Precision { Int8, Uint8, Fp32, Bf16, Fp16 };
enum class Granularity { PerTensor, PerChannel };
enum class Symmetry { Symmetric, Asymmetric };
enum class Algorithm { MinMax, Kl, Percentile, Mse };

// The precision of everything in a model that is not int8: OpenVINO's inference precision. CPUs with 16-bit units run
// the same model faster in Bf16 or F16.
enum class InferencePrecision { F32, Bf16, F16 };

// How trials that meet the accuracy goal are compared.
enum class Objective { Performance, ModelSize, Footprint };

// How the runtime computes an op. Plain: unchanged. Convolution: a matrix multiplication as a 1x1 convolution over its
// rows, whose kernel may be faster. Pixels: the same with each row as an image of one pixel, for a dynamic number of
// rows.
enum class KernelVariant { Plain, Convolution, Pixels };

std::string_view to_string(Precision);           // int8, uint8, fp32, bf16, fp16
std::string_view to_string(InferencePrecision);  // f32, bf16, f16
std::string_view to_string(Granularity);         // per_tensor, per_channel
std::string_view to_string(Symmetry);            // sym, asym
std::string_view to_string(Algorithm);           // minmax, kl, percentile, mse
std::string_view to_string(KernelVariant);       // plain, convolution, pixels

// The value with that YAML name, or nullopt: parse<Algorithm>("kl") == Algorithm::Kl.
template <typename Word>
std::optional<Word> parse(std::string_view name);

// The precision of an op that is not quantized, in a model with that inference precision.
Precision unquantized(InferencePrecision);

}  // namespace lpot
