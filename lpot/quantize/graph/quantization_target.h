// The intermediate state of ops between a plan and its edits.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/plan/plan.h"
#include "lpot/quantize/graph/constants.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/graph/weights.h"

namespace lpot {

// An op of the source graph whose weights are a constant.
struct Kernel {
  const QuantizableOp* op = nullptr;
  std::string constant;
  WeightLayout layout;
  bool may_be_divided = true;  // whether its activation may be divided (see placement.h)
};

// An op that the plan sets to int8, with the state that recipes change.
struct QuantizationTarget {
  const Kernel* kernel = nullptr;
  const OpPlan* plan = nullptr;
  const TensorStatistics* input = nullptr;  // statistics of its activation; may be null when only weights are quantized
  WeightMatrix weights;
  std::vector<float> divisors = {};
  bool divisors_folded = false;

  const QuantizableOp& op() const { return *kernel->op; }
};

using Kernels = std::map<std::string, Kernel>;  // by op name
Kernels find_kernels(const Model&, const std::vector<QuantizableOp>&);

// The ops with weights that the plan sets to int8, in topological order. `others` lists further names that the plan
// may contain. Throws ModelError for a plan of another model and DataError when a tensor has no statistics. The
// arguments must outlive the result.
std::vector<QuantizationTarget> find_targets(const Kernels&, const std::vector<QuantizableOp>&, const Plan&,
                                             const Statistics&, const Constants&,
                                             const std::set<std::string>& others = {});

// What recipes rescale: the weights of int8 ops and the constants of ops that stay in fp32.
class Rescaling {
 public:
  // The arguments must outlive this object and must not move in memory.
  Rescaling(const Kernels&, std::vector<QuantizationTarget>&, Constants&);

  std::vector<QuantizationTarget>& all() { return all_; }

  // Divides the kernel's output channels by dividing its weights and the bias constant that is added ("": none).
  void divide(const std::string& kernel, const std::string& bias, const std::vector<float>& divisors);

 private:
  const Kernels& kernels_;
  std::vector<QuantizationTarget>& all_;
  Constants& constants_;
  std::map<std::string, QuantizationTarget*> of_op_;
};

}  // namespace lpot
