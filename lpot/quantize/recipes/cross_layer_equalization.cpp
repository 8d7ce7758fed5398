#include "lpot/quantize/recipes/cross_layer_equalization.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/model/bodies.h"
#include "lpot/quantize/graph/channel_pairs.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/recipes/recipe.h"
#include "lpot/quantize/recipes/smooth_quant.h"

namespace lpot {
namespace {

namespace op = ov::opset8;

struct PairedKernel {
  std::string constant;
  WeightMatrix weights;
};

struct PairedConstants {
  std::map<std::string, PairedKernel> kernels;       // by op name
  std::map<std::string, std::vector<float>> biases;  // by name of the constant
};

PairedConstants read_constants(const Model& model, const std::vector<ChannelPair>& pairs) {
  std::map<std::string, QuantizableOp> ops;
  for (const QuantizableOp& quantizable : quantizable_ops(model)) ops.emplace(quantizable.name, quantizable);
  PairedConstants graph;
  const auto is_wanted = [&](const std::string& name, auto... member) {
    return std::any_of(pairs.begin(), pairs.end(),
                       [&](const ChannelPair& pair) { return ((pair.*member == name) || ...); });
  };
  for (const auto& node : all_ops(*model.graph)) {
    if (const auto constant = ov::as_type_ptr<op::Constant>(node)) {
      if (is_wanted(constant->get_friendly_name(), &ChannelPair::bias))
        graph.biases.try_emplace(constant->get_friendly_name(), constant->cast_vector<float>());
      continue;
    }
    const auto found = ops.find(op_name(*node));
    if (found == ops.end() || found->second.type != node->get_type_name()) continue;
    if (!is_wanted(found->first, &ChannelPair::first, &ChannelPair::second)) continue;
    const auto constant = ov::as_type_ptr<op::Constant>(node->get_input_node_shared_ptr(1));
    const ov::Shape& shape = constant->get_shape();
    const WeightLayout layout{Shape(shape.begin(), shape.end()), found->second.weight_axes, found->second.input_axes};
    graph.kernels.try_emplace(found->first, PairedKernel{constant->get_friendly_name(),
                                                         WeightMatrix(constant->cast_vector<float>(), layout)});
  }
  return graph;
}

std::vector<float> largest_by_output(const WeightMatrix& weights) {
  std::vector<float> largest(weights.rows(), 0.0f);
  for (std::size_t row = 0; row < weights.rows(); ++row)
    for (std::size_t i = 0; i < weights.columns(); ++i)
      largest[row] = std::max(largest[row], std::fabs(weights.row(row)[i]));
  return largest;
}

std::vector<float> largest_by_input(const WeightMatrix& weights) {
  std::vector<float> largest(weights.inputs(), 0.0f);
  for (std::size_t row = 0; row < weights.rows(); ++row)
    for (std::size_t i = 0; i < weights.columns(); ++i) {
      float& of_input = largest[weights.first_input(row) + i / weights.taps()];
      of_input = std::max(of_input, std::fabs(weights.row(row)[i]));
    }
  return largest;
}

// Equalizes one pair. Returns the largest |log(divisor)|.
float equalize(PairedConstants& graph, const ChannelPair& pair) {
  WeightMatrix& first = graph.kernels.at(pair.first).weights;
  WeightMatrix& second = graph.kernels.at(pair.second).weights;
  const std::vector<float> produced = largest_by_output(first), read = largest_by_input(second);
  std::vector<float> divisors(pair.channels, 1.0f);
  float change = 0;
  for (std::size_t i = 0; i < pair.channels; ++i) {
    if (produced[i] == 0 || read[i] == 0) continue;  // unused channel
    divisors[i] = std::sqrt(produced[i] / read[i]);
    change = std::max(change, std::fabs(std::log(divisors[i])));
  }
  divide_outputs(first, divisors);
  multiply_inputs(second, divisors);
  if (!pair.bias.empty())
    for (std::size_t i = 0; i < pair.channels; ++i) graph.biases.at(pair.bias)[i] /= divisors[i];
  return change;
}

std::vector<ChannelPair> pairs_to_equalize(const Model& model) {
  std::vector<ChannelPair> pairs = channel_pairs(model);
  std::erase_if(pairs, [](const ChannelPair& pair) { return !pair.mix.empty(); });  // SmoothQuant handles these
  return pairs;
}

bool has_pairs(const Model& model) { return !pairs_to_equalize(model).empty(); }

}  // namespace

std::vector<ConstantEdit> equalize_layers(const Model& model) {
  const std::vector<ChannelPair> pairs = pairs_to_equalize(model);
  PairedConstants graph = read_constants(model, pairs);
  constexpr int kMaxRounds = 30;
  constexpr float kConverged = 1e-3f;  // largest |log(divisor)| at which a round changes nothing
  float change = 1;
  for (int round = 0; round < kMaxRounds && change > kConverged; ++round) {
    change = 0;
    for (const ChannelPair& pair : pairs) change = std::max(change, equalize(graph, pair));
  }
  std::vector<ConstantEdit> edits;
  for (const auto& [name, kernel] : graph.kernels)
    edits.push_back({kernel.constant, kernel.weights.in_order_of_constant()});
  for (auto& [name, values] : graph.biases) edits.push_back({name, std::move(values)});
  return edits;
}

Recipe cross_layer_equalization_recipe() {
  return {
      .declaration =
          {.name = "cross_layer_equalization",
           .key = {.parameter = {.name = "cross_layer_equalization",
                                 .kind = ValueKind::Flag,
                                 .summary = "equalize the channel ranges of adjacent layers; default: lpot decides"},
                   .position = 90},
           .plan_default = false,
           .alternative = 3,
           .statistics = RecipeStatistics::OwnPass,
           .rescales_constants = true,
           .label = "cross_layer_equalization"},
      .applies_to = has_pairs,
      .rescale_source = equalize_layers};
}

}  // namespace lpot
