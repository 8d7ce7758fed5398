#include "lpot/quantize/recipes/saturation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <openvino/openvino.hpp>
#include <set>

#include "lpot/quantize/capability.h"
#include "lpot/quantize/edits.h"

namespace lpot {
namespace {

constexpr int kMost = 32767;

int product(std::int8_t weight, int level) { return static_cast<int>(weight) * level; }

}  // namespace

std::vector<int> largest_levels(const TensorStatistics& statistics, const std::vector<float>& divisors,
                                const Range& levels) {
  const float step = (levels.high - levels.low) / 255.0f;
  std::vector<int> largest;
  for (std::size_t i = 0; i < statistics.channels().size(); ++i) {
    const float high = statistics.channels()[i].max / (divisors.empty() ? 1.0f : divisors[i]);
    largest.push_back(static_cast<int>(std::clamp(std::ceil((high - levels.low) / step), 0.0f, 255.0f)));
  }
  return largest;
}

bool can_saturate(const WeightMatrix& weights, const QuantizedRows& quantized, const std::vector<int>& largest) {
  const std::size_t taps = weights.taps(), channels = weights.columns() / taps;
  for (std::size_t row = 0; row < weights.rows(); ++row) {
    const std::int8_t* values = quantized.values.data() + row * weights.columns();
    const int* levels = largest.data() + weights.first_input(row);
    // The kernels take input channels in pairs, for each tap.
    for (std::size_t tap = 0; tap < taps; ++tap)
      for (std::size_t i = 0; i + 1 < channels; i += 2) {
        const int first = product(values[i * taps + tap], levels[i]);
        const int second = product(values[(i + 1) * taps + tap], levels[i + 1]);
        const int high = std::max(first, 0) + std::max(second, 0), low = std::min(first, 0) + std::min(second, 0);
        if (high > kMost || low < -kMost - 1) return true;
      }
  }
  return false;
}

std::vector<std::string> saturating_ops(const Model& model, const Plan& plan, const Statistics& statistics) {
  std::map<std::string, QuantizableOp> ops;
  for (const QuantizableOp& op : quantizable_ops(model)) ops.emplace(op.name, op);
  std::map<std::string, Shape> shapes;
  for (const auto& node : model.graph->get_ordered_ops())
    if (ops.contains(op_name(*node)) && node->get_input_size() > 1 && node->get_input_partial_shape(1).is_static()) {
      const ov::Shape& shape = node->get_input_shape(1);
      shapes.try_emplace(op_name(*node), shape.begin(), shape.end());
    }
  std::vector<std::string> found;
  for (const OpEdit& edit : resolve(model, plan, statistics).ops) {
    if (edit.activation.empty()) continue;  // weights only: nothing is multiplied as integers here
    const QuantizableOp& op = ops.at(edit.op);
    const std::vector<float> integers(edit.weights.values.begin(), edit.weights.values.end());
    const WeightMatrix matrix(integers, {shapes.at(edit.op), op.weight_axes, op.input_axes});
    const TensorStatistics& input = statistics.at(edit.activation);
    QuantizedRows rows;
    for (std::size_t row = 0; row < matrix.rows(); ++row)
      rows.values.insert(rows.values.end(), matrix.row(row), matrix.row(row) + matrix.columns());
    // Where channels were not told apart nothing is known of them.
    const bool is_known = input.channels().size() == matrix.inputs();
    if (!is_known || can_saturate(matrix, rows, largest_levels(input, edit.input_divisors, edit.levels)))
      found.push_back(edit.op);
  }
  return found;
}

void widen_weights(SearchSpace& narrow, const SearchSpace& whole, const std::vector<OpPlan>& schemes,
                   const Model& model, const StatisticsOf& statistics_of) {
  for (const OpPlan& scheme : schemes) {
    Plan wide = whole.plan(scheme);
    std::set<std::string> saturating;
    for (const Recipes& recipes : whole.recipes)
      for (const std::size_t size : whole.sampling_sizes) {
        wide.recipes = recipes;
        wide.sampling_size = size;
        for (std::string& name : saturating_ops(model, wide, statistics_of(wide))) saturating.insert(std::move(name));
      }
    for (std::size_t i = 0; i < narrow.ops.size(); ++i) {
      OpSpace& op = narrow.ops[i];
      const std::vector<OpPlan>& choices = whole.ops[i].choices;
      const auto chosen = std::find(choices.begin(), choices.end(), wide.ops.at(op.name));
      if (chosen == choices.end() || saturating.contains(op.name)) continue;
      op.choices[static_cast<std::size_t>(chosen - choices.begin())].weight.bits = chosen->weight.bits;
    }
  }
}

}  // namespace lpot
