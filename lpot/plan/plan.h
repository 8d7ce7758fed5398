// A Plan stores the precision of every quantizable op, independent of any framework. It can be compared and written as
// JSON.
//
//   Plan plan;
//   plan.ops["conv1"] = {.precision = Precision::Int8, .weight = {.granularity = Granularity::PerChannel}};
//   plan.ops["fc"] = {.precision = Precision::Fp32};
//   plan.fallback();  // {"fc"}
//   assert(plan_from_json(to_json(plan)) == plan);
//
#pragma once
#include <map>
#include <string>
#include <vector>

#include "lpot/core/scheme.h"
#include "lpot/plan/recipes.h"

namespace lpot {

// How one input of an op is quantized.
struct TensorScheme {
  Algorithm algorithm = Algorithm::MinMax;
  Granularity granularity = Granularity::PerTensor;
  Symmetry symmetry = Symmetry::Asymmetric;
  // For weights, 7 means half the range (integers in -63..63), for CPUs that accumulate in 16 bits. Plans of a search
  // use 7 where this may be needed; see WeightRangePolicy in quantize/saturation.h.
  int bits = 8;

  auto operator<=>(const TensorScheme&) const = default;
};

struct OpPlan {
  Precision precision = Precision::Fp32;  // Int8, or the precision of an op that is not quantized: Fp32, Bf16, Fp16
  TensorScheme activation = {};           // this and the following members are used only for Int8
  TensorScheme weight = {};
  KernelVariant variant = KernelVariant::Plain;
  bool weights_only = false;  // `activation` is unused; the runtime handles activations, see quantize/weights_only.h

  bool is_int8() const { return precision == Precision::Int8; }

  bool operator==(const OpPlan& other) const {
    return precision == other.precision &&
           (!is_int8() || (weights_only == other.weights_only && (weights_only || activation == other.activation) &&
                           weight == other.weight && variant == other.variant));
  }
};

struct Plan {
  std::map<std::string, OpPlan> ops;  // by node name in the source graph
  Recipes recipes = {};               // methods that apply to the whole model; each is a file in quantize/recipes
  std::size_t sampling_size = 0;      // calibration samples of the statistics to use; 0: only one size is configured

  // The precision of everything that is not int8. Exception: in a Bf16 or F16 plan, ops with Precision::Fp32 run in
  // f32.
  InferencePrecision inference_precision = InferencePrecision::F32;

  bool operator==(const Plan&) const = default;
  std::vector<std::string> fallback() const;  // ops that are not in int8
  std::size_t int8_count() const;
};

// "9 ops in int8, 0 in fp32", or "9 ops in int8, 1 in bf16, 1 in fp32".
std::string describe_precisions(const Plan&);
// A column title for the model: "int8", or the precision if nothing is int8.
std::string model_label(const Plan&);

std::string to_json(const Plan&);              // compact, keys sorted: equal plans have equal JSON
Plan plan_from_json(const std::string& text);  // throws StoreError
std::string plan_hash(const Plan&);            // 16 hexadecimal digits

}  // namespace lpot
