// What the runtime really runs: the kernels of a compiled model, their times, and how much of it is int8.
#pragma once
#include <string>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/runtime/executable.h"

namespace lpot {

struct KernelReport {
  std::vector<ExecutedOp> kernels;  // that compute something, in the order they run; time_ms is the median of the runs
  double total_ms = 0;              // of all kernels
  double int8_ms = 0;               // of those that compute in int8
  std::size_t int8_kernels = 0;
  std::size_t conversions = 0;  // kernels that only change layout or type
  double conversions_ms = 0;
};

bool is_conversion(const ExecutedOp&);

// Compiles for the inputs' shapes and runs `runs` times with the profiler on.
KernelReport profile_kernels(const Model&, const std::vector<Tensor>& inputs, int runs = 20, int threads = 0);

}  // namespace lpot
