// Reports the kernels that the runtime executes, their times and the share of int8.
#pragma once
#include <string>
#include <vector>

#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/runtime/executable.h"

namespace lpot {

struct KernelReport {
  std::vector<ExecutedOp> kernels;  // in execution order, without data nodes; time_ms is the median of the runs
  double total_ms = 0;              // of all kernels
  double int8_ms = 0;               // of the int8 kernels
  std::size_t int8_kernels = 0;
  std::size_t int8_kernels_in_bodies = 0;  // in addition; their times are part of the time of an If or a loop
  std::size_t conversions = 0;             // number of kernels that only change layout or type
  double conversions_ms = 0;
};

bool is_conversion(const ExecutedOp&);

// Compiles the model for the shapes of the inputs and runs it `runs` times with the profiler.
KernelReport profile_kernels(const Model&, const std::vector<Tensor>& inputs, int runs = 20, int threads = 0);

}  // namespace lpot
