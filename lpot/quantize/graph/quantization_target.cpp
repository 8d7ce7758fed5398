#include "lpot/quantize/graph/quantization_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <openvino/openvino.hpp>
#include <set>

#include "lpot/core/error.h"
#include "lpot/model/bodies.h"
#include "lpot/quantize/graph/placement.h"

namespace lpot {
namespace {

void check_names(const Plan& plan, const std::vector<QuantizableOp>& ops, const std::set<std::string>& others) {
  std::set<std::string> known = others;
  for (const QuantizableOp& quantizable : ops) known.insert(quantizable.name);
  for (const auto& [name, of_op] : plan.ops)
    if (of_op.precision == Precision::Int8 && !known.contains(name))
      throw ModelError("quantize", fmt::format("op '{}' of the plan: not found in this model, or not quantizable. Use "
                                               "the plan with the model it was made for.",
                                               name));
}

}  // namespace

Kernels find_kernels(const Model& model, const std::vector<QuantizableOp>& ops) {
  std::map<std::string, const QuantizableOp*> by_name;
  for (const QuantizableOp& quantizable : ops) by_name.emplace(quantizable.name, &quantizable);
  Kernels kernels;
  for (const auto& node : all_ops(*model.graph)) {
    const auto found = by_name.find(op_name(*node));
    if (found == by_name.end() || found->second->type != node->get_type_name()) continue;
    const QuantizableOp& quantizable = *found->second;
    const ov::Shape& shape = node->get_input_shape(1);
    kernels.try_emplace(quantizable.name,
                        Kernel{&quantizable,
                               node->get_input_node_ptr(1)->get_friendly_name(),
                               {Shape(shape.begin(), shape.end()), quantizable.weight_axes, quantizable.input_axes},
                               may_be_divided(node->input(0))});
  }
  return kernels;
}

std::vector<QuantizationTarget> find_targets(const Kernels& kernels, const std::vector<QuantizableOp>& ops,
                                             const Plan& plan, const Statistics& statistics, const Constants& constants,
                                             const std::set<std::string>& others) {
  check_names(plan, ops, others);
  std::vector<QuantizationTarget> all;
  for (const QuantizableOp& quantizable : ops) {
    const auto of_op = plan.ops.find(quantizable.name);
    if (of_op == plan.ops.end() || of_op->second.precision != Precision::Int8) continue;
    const auto observed = statistics.find(quantizable.activation);
    if (observed == statistics.end() && !of_op->second.weights_only)
      throw DataError("quantize", fmt::format("op '{}': its input '{}' has no statistics. Calibrate first.",
                                              quantizable.name, quantizable.activation));
    const Kernel& kernel = kernels.at(quantizable.name);
    all.push_back({&kernel, &of_op->second, observed == statistics.end() ? nullptr : &observed->second,
                   WeightMatrix(constants.values(kernel.constant), kernel.layout)});
  }
  return all;
}

Rescaling::Rescaling(const Kernels& kernels, std::vector<QuantizationTarget>& all, Constants& constants)
    : kernels_(kernels), all_(all), constants_(constants) {
  for (QuantizationTarget& target : all) of_op_.emplace(target.op().name, &target);
}

void Rescaling::divide(const std::string& name, const std::string& bias, const std::vector<float>& divisors) {
  if (const auto target = of_op_.find(name); target != of_op_.end()) {
    divide_outputs(target->second->weights, divisors);
  } else {
    const Kernel& kernel = kernels_.at(name);
    WeightMatrix weights(constants_.values(kernel.constant), kernel.layout);
    divide_outputs(weights, divisors);
    constants_.set(kernel.constant, weights.in_order_of_constant());
  }
  if (!bias.empty()) constants_.divide(bias, divisors);
}

}  // namespace lpot
