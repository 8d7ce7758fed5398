// A Plan says what becomes of every quantizable op: framework-neutral, comparable, JSON.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "lpot/core/scheme.h"

namespace lpot {

// How one input of an op is quantized.
struct TensorScheme {
  Algorithm algorithm = Algorithm::MinMax;
  Granularity granularity = Granularity::PerTensor;
  Symmetry symmetry = Symmetry::Asymmetric;
  int bits = 8;  // weights: 7 is half the range, integers in -63..63, for CPUs that sum products in 16 bits

  auto operator<=>(const TensorScheme&) const = default;
};

struct OpPlan {
  Precision precision = Precision::Fp32;  // Int8 or Fp32
  TensorScheme activation;                // both mean something for Int8 only
  TensorScheme weight;

  bool operator==(const OpPlan& other) const {
    return precision == other.precision &&
           (precision == Precision::Fp32 || (activation == other.activation && weight == other.weight));
  }
};

struct Plan {
  std::map<std::string, OpPlan> ops;  // by the source graph's node name
  std::size_t sampling_size = 0;      // which snapshot of the statistics the ranges come from; 0: the only one

  bool operator==(const Plan&) const = default;
  std::vector<std::string> fallback() const;  // ops in fp32
  std::size_t int8_count() const;
};

std::string to_json(const Plan&);              // compact, keys sorted: equal plans give equal texts
Plan plan_from_json(const std::string& text);  // throws StoreError that says what is wrong
std::string plan_hash(const Plan&);            // 16 hexadecimal digits

}  // namespace lpot
