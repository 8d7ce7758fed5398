// Which form of every op is the fastest on this machine, and which ops are slower in int8 than in fp32.
//
// The fp32 model and the plain int8 model, then the plain one and that of another form, run in turn with the runtime's
// profiler on; two at a time, because each compiled model holds its weights once more. The time of an executed
// kernel belongs to the op that it came from; what stands between two quantizable ops (biases, activation functions,
// conversions) belongs to the one before it, a quantizer to the op that reads it. So the times of one op in two models
// compare the same piece of work. What is chosen op by op is then confirmed by timing the whole model against the plain
// one, and that against fp32: where int8 as a whole is slower whatever is chosen, every op is better left in fp32.
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
  double seconds = 0.5;      // for the profiles; a model whose inference takes long gets a few runs at least
  bool convolutions = true;  // whether products are tried as convolutions; with VNNI the plain form is fine
  // Writes the plan in other forms; where it is not given, forms changing no numbers, that is done here.
  std::function<Model(const Plan&)> write = nullptr;
  CompiledModels* compiled = nullptr;  // for the inputs' shapes, where models are compiled for them elsewhere too
};

// `plan`: everything that may be in int8, in the plain form. `inputs`: one sample, as the model's inputs.
KernelVariantChoice choose_kernel_variants(const Model& fp32, const Plan& plan, const Statistics&,
                                           const std::vector<Tensor>& inputs, const KernelVariantOptions& = {},
                                           const Observer& = {});

// The time of each op in an executed model: see above. `owners`: for every op of the source graph, by name, the
// quantizable op that it belongs to.
std::map<std::string, double> times_by_owner(const std::vector<ExecutedOp>&,
                                             const std::map<std::string, std::string>& owners);
std::map<std::string, std::string> find_owners(const Model&, const Plan&);

}  // namespace lpot
