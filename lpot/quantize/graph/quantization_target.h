// Ops on their way from a plan to edits.
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

// A kernel of the source graph: its weights are a constant.
struct Kernel {
  const QuantizableOp* op = nullptr;
  std::string constant;
  WeightLayout layout;
  bool may_be_divided = true;  // its activation
};

// An op on its way to int8.
struct QuantizationTarget {
  const Kernel* kernel = nullptr;
  const OpPlan* plan = nullptr;
  const TensorStatistics* input = nullptr;  // of its activation; may be nothing where only weights are quantized
  WeightMatrix weights;
  std::vector<float> divisors = {};
  bool divided_before = false;

  const QuantizableOp& op() const { return *kernel->op; }
};

using Kernels = std::map<std::string, Kernel>;  // by op
Kernels kernels_of(const Model&, const std::vector<QuantizableOp>&);

// The ops with weights that the plan has in int8, in topological order; `products`: other names that it may have.
// Throws ModelError for a plan of another model, DataError when a tensor has no statistics. The references must outlive
// what comes back.
std::vector<QuantizationTarget> find_targets(const Kernels&, const std::vector<QuantizableOp>&, const Plan&,
                                             const Statistics&, const Constants&,
                                             const std::set<std::string>& products = {});

// What recipes rescale: weights of ops on their way, and constants of kernels that stay in fp32.
class Rescaling {
 public:
  // What it refers to must outlive it, and stay in its place.
  Rescaling(const Kernels&, std::vector<QuantizationTarget>&, Constants&);

  std::vector<QuantizationTarget>& all() { return all_; }

  // Divides what the kernel gives out, channel by channel: its weights and the constant that is added ("": none).
  void divide(const std::string& kernel, const std::string& bias, const std::vector<float>& divisors);

 private:
  const Kernels& kernels_;
  std::vector<QuantizationTarget>& all_;
  Constants& constants_;
  std::map<std::string, QuantizationTarget*> of_op_;
};

}  // namespace lpot
