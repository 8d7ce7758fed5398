// A small graph and its int8 model, for tests of the placement of quantizers. The input is one image of 4 channels.
#pragma once
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/runtime/executable.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {

inline Plan plan_with_all_int8(const Model& model) {
  Plan plan;
  for (const QuantizableOp& op : quantizable_ops(model))
    plan.ops[op.name] = {Precision::Int8,
                         {Algorithm::MinMax, Granularity::PerTensor, Symmetry::Asymmetric, 8},
                         {Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 7}};
  return plan;
}

struct Quantized {
  Model model;
  Edits edits;
  Model int8;

  explicit Quantized(const Model& from) : Quantized(from, plan_with_all_int8(from)) {}
  Quantized(const Model& from, const Plan& plan) : model(from.clone()) {
    const auto statistics =
        observe(model, observation_points(model),
                loader_of(unlabelled({random_tensor({4, 8, 8}, 1), random_tensor({4, 8, 8}, 2)})), {})
            .snapshots.back();
    edits = resolve(model, plan, statistics);
    int8 = apply(model, edits);
  }

  std::vector<std::string> quantizers() const {
    std::vector<std::string> names;
    for (const OpInfo& op : list_ops(int8))
      if (op.type == "FakeQuantize") names.push_back(op.name);
    return names;
  }

  // The levels of an op without weights that reads integers.
  std::optional<Range> input_levels(const std::string& name) const {
    for (const InputEdit& edit : edits.inputs)
      if (edit.op == name) return edit.levels;
    return std::nullopt;
  }

  // The precisions in which the kernels of this type ran.
  std::vector<std::string> precisions_of(const std::string& type) const {
    std::vector<std::string> precisions;
    const Executable executable(int8);
    for (const ExecutedOp& kernel : executable.executed_ops())
      if (kernel.type == type) precisions.push_back(kernel.precision);
    return precisions;
  }

  // The output precision of the first convolution.
  std::string output_precision() const {
    const Executable executable(int8);
    for (const ExecutedOp& kernel : executable.executed_ops())
      if (kernel.name == "a") return kernel.precision;
    return "nothing";
  }

  double error() const {
    const Tensor input = random_tensor({1, 4, 8, 8}, 7);
    const Tensor expected = Executable(model).infer({input})[0], found = Executable(int8).infer({input})[0];
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      difference += std::fabs(found.value_at(i) - expected.value_at(i));
      size += std::fabs(expected.value_at(i));
    }
    return difference / size;
  }
};

}  // namespace lpot
