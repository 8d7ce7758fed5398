// Search spaces, results and trials for tests of the tuner, without a model or data.
#pragma once
#include <string>
#include <vector>

#include "lpot/core/file.h"
#include "lpot/plan/goal.h"
#include "lpot/plan/search_space.h"
#include "lpot/plan/trial.h"
#include "tests/support/recipes.h"

namespace lpot {

// `convolutions` convolutions followed by one matrix product, with the restrictions of the configuration.
inline SearchSpace space_of(int convolutions, const QuantizationConfig& config = {}) {
  std::vector<QuantizableOp> ops;
  for (int i = 1; i <= convolutions; ++i)
    ops.push_back({"conv" + std::to_string(i), "Convolution", "x" + std::to_string(i), {0}});
  ops.push_back({"fc", "MatMul", "x", {1}});
  return {allowed_choices(ops, config, kDeclaredRecipes, false).value};
}

inline Measurement measured(double accuracy, double speedup = 1.0, std::size_t size_bytes = 100,
                            std::size_t footprint_bytes = 100) {
  Measurement result;
  result.accuracy = accuracy;
  result.metrics = {{"topk", accuracy}};
  result.latency_ms = 2.0 / speedup;
  result.speedup = speedup;
  result.size_bytes = size_bytes;
  result.footprint_bytes = footprint_bytes;
  result.samples = 10;
  return result;
}

inline Trial trial(std::size_t number, const Measurement& result) {
  Trial made;
  made.number = number;
  made.result = result;
  made.seconds = 0.5;
  return made;
}

inline Trial failed_trial(std::size_t number) {
  Trial made;
  made.number = number;
  made.error = "[quantize] no";
  return made;
}

// A number in 0..1 that depends only on the plan.
inline double fake_accuracy(const Plan& plan) {
  return static_cast<double>(std::stoull(plan_hash(plan).substr(0, 8), nullptr, 16)) / 4294967296.0;
}

}  // namespace lpot
