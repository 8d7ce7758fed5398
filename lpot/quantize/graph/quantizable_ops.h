// The ops of a model that can run in int8, and the tensors whose ranges they need.
//
//   for (const QuantizableOp& op : quantizable_ops(model)) std::cout << op.name << "\n";
//   Calibration calibration = observe(model, observation_points(model), loader, {.sampling_sizes = {100}});
//
#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lpot/calibrate/observe.h"
#include "lpot/model/model.h"
#include "lpot/plan/capability.h"
#include "lpot/plan/op_keys.h"

namespace lpot {

// In topological order.
std::vector<QuantizableOp> quantizable_ops(const Model&);

// The kinds of products with constant weights that cannot run in int8, with their numbers: "2 Einsum, 1 MatMul with
// weights of rank 3". Empty if there are none.
std::string unsupported_products(const Model&);

// The tensors to observe for the ranges of these ops, without duplicates. For a model, this includes products of
// activations, recurrent sequences and residual sums.
std::vector<ObservationPoint> observation_points(const std::vector<QuantizableOp>&);
std::vector<ObservationPoint> observation_points(const Model&);

// The constant weights of these ops, in topological order.
std::vector<std::pair<std::string, std::vector<float>>> float_weights(const Model&, const std::vector<QuantizableOp>&);

std::set<std::string> float_tensors(const Model&);  // names of all f32 tensors

// The ops that keys of quantization.op_wise may name: ops of the graph and nodes of the model file.
NamedOps named_ops(const Model&);

}  // namespace lpot
