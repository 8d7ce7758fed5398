#include "lpot/quantize/recipes/saturation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <openvino/openvino.hpp>

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
  return saturating_ops(model, resolve(model, plan, statistics), statistics);
}

std::vector<std::string> saturating_ops(const Model& model, const Edits& edits, const Statistics& statistics) {
  std::map<std::string, QuantizableOp> ops;
  for (const QuantizableOp& op : quantizable_ops(model)) ops.emplace(op.name, op);
  std::map<std::string, Shape> shapes;
  for (const auto& node : model.graph->get_ordered_ops())
    if (ops.contains(op_name(*node)) && node->get_input_size() > 1 && node->get_input_partial_shape(1).is_static()) {
      const ov::Shape& shape = node->get_input_shape(1);
      shapes.try_emplace(op_name(*node), shape.begin(), shape.end());
    }
  std::vector<std::string> found;
  for (const OpEdit& edit : edits.ops) {
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

Widening::Widening(const Model& model, SearchSpace whole, StatisticsOf statistics_of)
    : model_(model), whole_(std::move(whole)), statistics_of_(std::move(statistics_of)) {}

const std::vector<std::string>& Widening::saturating(const OpPlan& scheme, const Plan& of) {
  Plan plan = whole_.plan(scheme);
  plan.recipes = of.recipes;
  plan.sampling_size = of.sampling_size;
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& known) { return known.plan == plan; });
  if (found != known_.end()) return found->saturating;
  known_.push_back({plan, saturating_ops(model_, plan, statistics_of_(plan))});
  return known_.back().saturating;
}

Plan Widening::operator()(Plan plan) {
  const auto same_scheme = [](const OpPlan& a, const OpPlan& b) {
    return a.precision == b.precision && a.activation == b.activation && a.weight.algorithm == b.weight.algorithm &&
           a.weight.granularity == b.weight.granularity && a.weight.symmetry == b.weight.symmetry;
  };
  for (const OpSpace& op : whole_.ops) {
    const auto planned = plan.ops.find(op.name);
    if (planned == plan.ops.end() || planned->second.precision != Precision::Int8) continue;
    const auto choice = std::find_if(op.choices.begin(), op.choices.end(),
                                     [&](const OpPlan& other) { return same_scheme(planned->second, other); });
    if (choice == op.choices.end() || choice->weight.bits == planned->second.weight.bits) continue;
    const std::vector<std::string>& kept = saturating(*choice, plan);
    if (std::find(kept.begin(), kept.end(), op.name) == kept.end()) planned->second.weight.bits = choice->weight.bits;
  }
  return plan;
}

}  // namespace lpot
