#include "lpot/quantize/graph/sequence_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/quantize/graph/activation_range.h"
#include "lpot/quantize/graph/sequences.h"

namespace lpot {
namespace {

using Direction = ov::op::RecurrentSequenceDirection;

std::size_t gates_of(const SequenceNumbers& numbers) {
  return numbers.node->get_input_shape(sequence_inputs(*numbers.node).weights)[1];
}

// 0 for a row of a forward direction, 1 for a backward one.
std::size_t direction_of(const SequenceNumbers& numbers, std::size_t row) {
  const auto lstm = ov::as_type<const ov::opset8::LSTMSequence>(numbers.node);
  const Direction direction =
      lstm ? lstm->get_direction() : ov::as_type<const ov::opset8::GRUSequence>(numbers.node)->get_direction();
  if (direction == Direction::BIDIRECTIONAL) return row / gates_of(numbers);
  return direction == Direction::REVERSE ? 1 : 0;
}

// The exponent of the power of two that gives X the range of H.
int equal_ranges(const SequenceNumbers& numbers) {
  const auto magnitude = [](const Range& range) { return std::max({-range.low, range.high, 1e-30f}); };
  return static_cast<int>(std::lround(std::log2(magnitude(numbers.x) / magnitude(numbers.h))));
}

// The plug-in swaps the gates f and i of an LSTM for its kernel, but not their scales.
void share_first_gates(std::vector<float>& scales) {
  const std::size_t hidden = scales.size() / 4;
  for (std::size_t i = 0; i < hidden; ++i) scales[i] = scales[hidden + i] = std::max(scales[i], scales[hidden + i]);
}

double squared(float value) { return static_cast<double>(value) * static_cast<double>(value); }

// Mean squares of the channels; their mean for all if they were not observed one by one.
std::vector<double> powers_of(const TensorStatistics& tensor, std::size_t channels) {
  std::vector<double> powers;
  double sum = 0;
  for (const ChannelStatistics& channel : tensor.channels()) {
    powers.push_back(channel.mean_square());
    sum += powers.back();
  }
  if (powers.size() == channels) return powers;
  return std::vector<double>(channels, powers.empty() ? 0.0 : sum / static_cast<double>(powers.size()));
}

// The numbers that X and W share with H and R.
struct SharedNumbers {
  float limit = 127;  // of the integers
  float input_scale = 1;
  Range levels;
  std::vector<float> scales[2];  // by direction, one per row of the gates

  float scale(const SequenceNumbers& numbers, std::size_t row) const {
    return scales[direction_of(numbers, row)][row % gates_of(numbers)];
  }
};

SharedNumbers share(const SequenceNumbers& numbers, int exponent, Symmetry symmetry, float limit) {
  SharedNumbers shared;
  shared.limit = limit;
  const float scale = std::ldexp(1.0f, equal_ranges(numbers) + exponent);
  shared.input_scale = scale;
  shared.levels =
      sequence_levels(join(join(Range{0, 0}, numbers.h), {numbers.x.low / scale, numbers.x.high / scale}), symmetry);
  for (std::vector<float>& scales : shared.scales) scales.resize(gates_of(numbers), 0.0f);
  for (std::size_t row = 0; row < numbers.w.rows(); ++row) {
    float& of_row = shared.scales[direction_of(numbers, row)][row % gates_of(numbers)];
    of_row = std::max({of_row, numbers.w.largest[row] * scale / limit, numbers.r.largest[row] / limit});
  }
  for (std::vector<float>& scales : shared.scales) {
    if (ov::is_type<ov::opset8::LSTMSequence>(numbers.node)) share_first_gates(scales);
    for (float& of_row : scales)
      if (of_row == 0.0f) of_row = 1.0f;
  }
  return shared;
}

// Noise over signal of the gates, and of the output, which the kernel rounds too. In units of 1/12.
double noise_of(const SequenceNumbers& numbers, const SharedNumbers& shared) {
  const double signal = numbers.w.output_power + numbers.r.output_power;
  if (signal <= 0 || numbers.r.input_power <= 0) return 0;
  const double scale = squared(shared.input_scale);
  const double step = squared((shared.levels.high - shared.levels.low) / 255);
  double of_weights = 0;
  for (std::size_t row = 0; row < numbers.w.rows(); ++row) of_weights += squared(shared.scale(numbers, row));
  const double gates = of_weights * (numbers.w.input_power / scale + numbers.r.input_power) +
                       step * (scale * numbers.w.squares + numbers.r.squares);
  return gates / signal + step * static_cast<double>(numbers.r.columns) / numbers.r.input_power;
}

QuantizedWeights quantize_gates(const SequenceNumbers& numbers, const GateWeights& weights, float factor,
                                const SharedNumbers& shared) {
  const float limit = shared.limit;
  QuantizedWeights result{
      std::vector<std::int8_t>(weights.values.size()), {}, {weights.rows() / gates_of(numbers), gates_of(numbers), 1}};
  for (std::size_t row = 0; row < weights.rows(); ++row) result.scales.push_back(shared.scale(numbers, row));
  for (std::size_t i = 0; i < weights.values.size(); ++i) {
    const float level = std::nearbyint(weights.values[i] * factor / result.scales[i / weights.columns]);
    result.values[i] = static_cast<std::int8_t>(std::clamp(level, -limit, limit));
  }
  return result;
}

SequenceEdit edit_of(const SequenceNumbers& numbers, const SharedNumbers& shared) {
  const float scale = shared.input_scale;
  SequenceEdit edit;
  edit.op = op_name(*numbers.node);
  edit.type = numbers.node->get_type_name();
  edit.form = SequenceForm::Kernel;
  edit.state_levels = shared.levels;
  edit.input_levels = {shared.levels.low * scale, shared.levels.high * scale};
  edit.input_scale = scale;
  edit.input_weights = quantize_gates(numbers, numbers.w, scale, shared);
  edit.state_weights = quantize_gates(numbers, numbers.r, 1.0f, shared);
  return edit;
}

}  // namespace

Range join(const Range& a, const Range& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

Range sequence_levels(Range range, Symmetry symmetry) {
  if (symmetry == Symmetry::Symmetric) {
    range.high = std::max(-range.low, range.high);
    range.low = -range.high;
  }
  return activation_levels(range, symmetry);
}

GateWeights::GateWeights(std::vector<float> all, std::size_t row_size, const TensorStatistics& input)
    : values(std::move(all)), columns(row_size), largest(values.size() / row_size, 0.0f) {
  const std::vector<double> powers = powers_of(input, columns);
  for (const double power : powers) input_power += power;
  for (std::size_t i = 0; i < values.size(); ++i) {
    float& of_row = largest[i / columns];
    of_row = std::max(of_row, std::fabs(values[i]));
    squares += squared(values[i]);
    output_power += squared(values[i]) * powers[i % columns];
  }
}

// X is divided by a power of two. A large one makes the integers of R coarse, a small one those of H. Rounding with
// step s adds noise of variance s^2 / 12 (noise.h), and the power with the least noise is used.
SequenceEdit kernel_edit(const SequenceNumbers& numbers, const OpPlan& plan) {
  const auto limit = static_cast<float>(weight_limit(plan.weight));
  SharedNumbers best;
  double least = std::numeric_limits<double>::infinity();
  for (int exponent = -5; exponent <= 2; ++exponent) {
    SharedNumbers shared = share(numbers, exponent, plan.activation.symmetry, limit);
    const double noise = noise_of(numbers, shared);
    if (noise >= least) continue;
    least = noise;
    best = std::move(shared);
  }
  return edit_of(numbers, best);
}

}  // namespace lpot
