#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <set>
#include <thread>

#include "lpot/core/error.h"
#include "lpot/quantize/activation_range.h"
#include "lpot/quantize/capability.h"
#include "lpot/quantize/edits.h"
#include "lpot/quantize/placement.h"
#include "lpot/quantize/recipes/bias_correction.h"
#include "lpot/quantize/recipes/smooth_quant.h"
#include "lpot/quantize/recipes/weight_correction.h"

namespace lpot {
namespace {

namespace op = ov::opset8;

// An op on its way to int8.
struct Work {
  const QuantizableOp* op = nullptr;
  const OpPlan* plan = nullptr;
  const TensorStatistics* input = nullptr;
  WeightMatrix weights;
  bool may_be_divided = true;
  std::vector<float> divisors = {};
};

void check_names(const Plan& plan, const std::vector<QuantizableOp>& ops) {
  std::set<std::string> known;
  for (const QuantizableOp& quantizable : ops) known.insert(quantizable.name);
  for (const auto& [name, of_op] : plan.ops)
    if (of_op.precision == Precision::Int8 && !known.contains(name))
      throw ModelError(
          "quantize",
          fmt::format(
              "the plan names op '{}', which this model does not have or cannot quantize; is it another model's plan?",
              name));
}

struct WeightsOfOp {
  WeightMatrix matrix;
  bool may_be_divided = true;
};

std::map<std::string, WeightsOfOp> weights_of(const Model& model, const std::vector<QuantizableOp>& ops,
                                              const Plan& plan) {
  std::map<std::string, const QuantizableOp*> wanted;
  for (const QuantizableOp& quantizable : ops) {
    const auto found = plan.ops.find(quantizable.name);
    if (found != plan.ops.end() && found->second.precision == Precision::Int8)
      wanted.emplace(quantizable.name, &quantizable);
  }
  std::map<std::string, WeightsOfOp> weights;
  for (const auto& node : model.graph->get_ordered_ops()) {
    const auto found = wanted.find(op_name(*node));
    if (found == wanted.end() || found->second->type != node->get_type_name()) continue;
    const auto constant = ov::as_type_ptr<op::Constant>(node->get_input_node_shared_ptr(1));
    const ov::Shape& shape = constant->get_shape();
    weights.try_emplace(found->first, WeightsOfOp{WeightMatrix(constant->cast_vector<float>(),
                                                               {Shape(shape.begin(), shape.end()),
                                                                found->second->weight_axes, found->second->input_axes}),
                                                  may_be_divided(node->input(0))});
  }
  return weights;
}

// Ops that read one tensor in one scheme share its quantizer, and so its divisors.
void smooth(std::vector<Work>& all, const Recipes& recipes) {
  std::map<std::pair<std::string, TensorScheme>, std::vector<Work*>> groups;
  for (Work& work : all)
    if (work.op->type == "MatMul" && work.may_be_divided)
      groups[{work.op->activation, work.plan->activation}].push_back(&work);
  for (const auto& [tensor, group] : groups) {
    std::vector<SmoothedReader> readers;
    for (const Work* work : group) readers.push_back({&work->weights, weight_limit(work->plan->weight)});
    const std::vector<float> divisors = smooth_divisors(*group.front()->input, group.front()->plan->activation.symmetry,
                                                        readers, recipes.smooth_quant_alpha);
    for (Work* work : group) {
      work->divisors = divisors;
      if (!divisors.empty()) multiply_inputs(work->weights, divisors);
    }
  }
}

Range range_of(const Work& work) {
  const TensorScheme& scheme = work.plan->activation;
  if (!work.divisors.empty()) return divided_range(*work.input, work.divisors, scheme.symmetry);
  return find_range(*work.input, scheme.algorithm, {.symmetry = scheme.symmetry});
}

std::vector<float> input_means(const Work& work) {
  std::vector<float> means;
  for (const ChannelStatistics& channel : work.input->channels()) means.push_back(static_cast<float>(channel.mean()));
  for (std::size_t i = 0; i < work.divisors.size(); ++i) means[i] /= work.divisors[i];
  return means;
}

OpEdit edit_of(const Work& work, const Recipes& recipes) {
  QuantizedRows rows = quantize_rows(work.weights, work.plan->weight);
  if (recipes.weight_correction) correct_weights(work.weights, rows);
  const int axis = find_capability(work.op->type)->channel_axis;
  OpEdit edit{.op = work.op->name,
              .type = work.op->type,
              .activation = work.op->activation,
              .levels = activation_levels(range_of(work), work.plan->activation.symmetry),
              .input_divisors = work.divisors,
              .input_channel_axis = axis,
              .weights = in_order_of_constant(work.weights, rows),
              .weight_axes = work.op->weight_axes,
              .bias = {},
              .output_channel_axis = axis,
              .form = work.plan->form};
  // A tensor whose channels were not told apart (its rank varies) has no means to correct with.
  if (recipes.bias_correction && work.input->channels().size() == work.weights.inputs())
    edit.bias = bias_correction(work.weights, rows, input_means(work));
  return edit;
}

// Tables of floats that rows are taken from by index.
std::vector<TableEdit> table_edits(const Model& model) {
  constexpr std::size_t kWorthIt = 1 << 16;  // numbers
  std::vector<TableEdit> edits;
  for (const auto& node : model.graph->get_ordered_ops()) {
    if (std::string_view(node->get_type_name()) != "Gather") continue;
    const auto table = ov::as_type_ptr<op::Constant>(node->get_input_node_shared_ptr(0));
    const auto axis = ov::as_type_ptr<op::Constant>(node->get_input_node_shared_ptr(2));
    if (!table || !axis || table->get_element_type() != ov::element::f32 || table->get_shape().size() != 2) continue;
    if (axis->cast_vector<std::int64_t>() != std::vector<std::int64_t>{0}) continue;
    if (ov::shape_size(table->get_shape()) < kWorthIt) continue;
    const ov::Shape& shape = table->get_shape();
    edits.push_back(
        {op_name(*node), quantize_weights(table->cast_vector<float>(), Shape(shape.begin(), shape.end()), {0},
                                          {Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 8})});
  }
  return edits;
}

std::vector<SumEdit> sum_edits(const Model& model, const std::vector<OpEdit>& ops, const Statistics& statistics) {
  std::vector<SumEdit> edits;
  for (const ResidualSum& sum : residual_sums(model)) {
    const auto observed = statistics.find(sum.from_convolution);
    const bool is_int8 =
        std::any_of(ops.begin(), ops.end(), [&](const OpEdit& op) { return op.op == sum.convolution; });
    const auto readers = std::count_if(ops.begin(), ops.end(), [&](const OpEdit& op) {
      return op.activation == sum.bypass && op.input_divisors.empty();
    });
    if (!is_int8 || readers == 0 || observed == statistics.end()) continue;
    const Range range = find_range(observed->second, Algorithm::MinMax, {.symmetry = Symmetry::Asymmetric});
    edits.push_back({sum.op, sum.side, activation_levels(range, Symmetry::Asymmetric)});
  }
  return edits;
}

// Calls `work(i)` for every i below `count`, on all cores.
template <typename Function>
void in_parallel(std::size_t count, Function&& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < std::thread::hardware_concurrency() && i < count; ++i) helpers.emplace_back(take);
  take();
}

}  // namespace

Edits resolve(const Model& model, const Plan& plan, const Statistics& statistics) {
  const std::vector<QuantizableOp> ops = quantizable_ops(model);
  check_names(plan, ops);
  std::map<std::string, WeightsOfOp> weights = weights_of(model, ops, plan);
  std::vector<Work> all;
  for (const QuantizableOp& quantizable : ops) {
    const auto found = weights.find(quantizable.name);
    if (found == weights.end()) continue;
    const auto observed = statistics.find(quantizable.activation);
    if (observed == statistics.end())
      throw DataError("quantize", fmt::format("op '{}': no statistics of its input '{}'; calibrate first",
                                              quantizable.name, quantizable.activation));
    all.push_back({&quantizable, &plan.ops.at(quantizable.name), &observed->second, std::move(found->second.matrix),
                   found->second.may_be_divided});
  }
  if (plan.recipes.smooth_quant) smooth(all, plan.recipes);
  Edits edits;
  edits.through_max_pooling = plan.recipes.through_max_pooling;
  edits.through_concat = plan.recipes.through_concat;
  edits.ops.resize(all.size());
  in_parallel(all.size(), [&](std::size_t i) { edits.ops[i] = edit_of(all[i], plan.recipes); });
  if (plan.recipes.residual_sums) edits.sums = sum_edits(model, edits.ops, statistics);
  if (plan.recipes.int8_tables) edits.tables = table_edits(model);
  return edits;
}

}  // namespace lpot
