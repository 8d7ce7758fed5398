// A Plan says what becomes of every quantizable op: framework-neutral, comparable, JSON.
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
  int bits = 8;  // weights: 7 is half the range, integers in -63..63, for CPUs that sum products in 16 bits; a plan of
                 // a search says 7 where that may be needed, see WeightRangePolicy in recipes/saturation.h

  auto operator<=>(const TensorScheme&) const = default;
};

struct OpPlan {
  Precision precision = Precision::Fp32;  // Int8 or Fp32
  TensorScheme activation = {};           // the rest means something for Int8 only
  TensorScheme weight = {};
  KernelVariant variant = KernelVariant::Plain;
  bool weights_only = false;  // `activation` means nothing then: it is left to the run time, see weights_only.h

  bool operator==(const OpPlan& other) const {
    return precision == other.precision &&
           (precision == Precision::Fp32 ||
            (weights_only == other.weights_only && (weights_only || activation == other.activation) &&
             weight == other.weight && variant == other.variant));
  }
};

struct Plan {
  std::map<std::string, OpPlan> ops;  // by the source graph's node name
  Recipes recipes = {};               // treatments of the whole model; each is a file in quantize/recipes
  std::size_t sampling_size = 0;      // which snapshot of the statistics the ranges come from; 0: the only one

  bool operator==(const Plan&) const = default;
  std::vector<std::string> fallback() const;  // ops in fp32
  std::size_t int8_count() const;
};

std::string to_json(const Plan&);              // compact, keys sorted: equal plans give equal texts
Plan plan_from_json(const std::string& text);  // throws StoreError that says what is wrong
std::string plan_hash(const Plan&);            // 16 hexadecimal digits

}  // namespace lpot
