// Chooses the fastest kernel variant of each op on this machine, and finds the ops that are slower in int8 than in
// fp32.
//
// The method:
// 1. Run the fp32 model and the plain int8 model alternately with the runtime's profiler on, then the plain int8 model
//    and the one with the other variant. Only two models at a time, because each compiled model has its own copy of the
//    weights.
// 2. Assign the time of each executed kernel to the op that it came from. Nodes between two quantizable ops (biases,
//    activation functions, conversions) count for the op before them, a quantizer for the op that reads it. So the
//    times of one op in two models compare the same part of the model.
// 3. Choose per op, then confirm the choice by timing the whole model against the plain one, and that against fp32. If
//    int8 as a whole is slower in every variant, all ops should stay in fp32.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/core/observer.h"
#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/plan/kernel_variants.h"
#include "lpot/plan/plan.h"
#include "lpot/runtime/compiled_models.h"

namespace lpot {

struct KernelVariantOptions {
  double seconds = 0.5;      // for the profiles; a slow model still gets a minimum number of runs
  bool convolutions = true;  // whether to try products as convolutions; not needed with VNNI
  // Writes the model of a plan with other variants. Default: built in, because variants do not change any numbers.
  std::function<Model(const Plan&)> write = nullptr;
  CompiledModels* compiled = nullptr;  // shared compiled models for these input shapes, if the caller has them
};

// `plan`: all candidate ops in int8, in the plain variant. `inputs`: one sample of the model's inputs.
KernelVariantChoice choose_kernel_variants(const Model& fp32, const Plan& plan, const Statistics&,
                                           const std::vector<Tensor>& inputs, const KernelVariantOptions& = {},
                                           const Observer& = {});

// The time of each op in an executed model, as described above. `owners` maps every op name of the source graph to the
// quantizable op that it counts for.
std::map<std::string, double> times_by_owner(const std::vector<ExecutedOp>&,
                                             const std::map<std::string, std::string>& owners);
std::map<std::string, std::string> find_owners(const Model&, const Plan&);

}  // namespace lpot
