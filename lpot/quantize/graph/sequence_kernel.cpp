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

// The numbers that the sequences of a group share.
struct SequenceGroup::Shared {
  std::vector<float> input_scales;  // one per sequence
  Range levels;
  std::vector<float> scales[2];  // by direction, one per row of the gates

  float scale(const SequenceNumbers& numbers, std::size_t row) const {
    return scales[direction_of(numbers, row)][row % gates_of(numbers)];
  }
};

SequenceGroup::SequenceGroup(const OpPlan& plan)
    : symmetry_(plan.activation.symmetry), limit_(static_cast<float>(weight_limit(plan.weight))) {}

// X is divided by a power of two. A large one makes the integers of R coarse, a small one those of H. Rounding with
// step s adds noise of variance s^2 / 12 (noise.h), and the powers with the least noise are used.
std::vector<SequenceEdit> SequenceGroup::edits() const {
  Shared best;
  double least = std::numeric_limits<double>::infinity();
  for (int exponent = -5; exponent <= 2; ++exponent) {
    Shared shared = share(exponent);
    double noise = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) noise += noise_of(members_[i], shared, i);
    if (noise >= least) continue;
    least = noise;
    best = std::move(shared);
  }
  std::vector<SequenceEdit> all;
  for (std::size_t i = 0; i < members_.size(); ++i) all.push_back(edit_of(members_[i], best, i));
  return all;
}

SequenceGroup::Shared SequenceGroup::share(int exponent) const {
  Shared shared;
  Range range{0, 0};
  for (const SequenceNumbers& member : members_) {
    const float scale = std::ldexp(1.0f, equal_ranges(member) + exponent);
    shared.input_scales.push_back(scale);
    range = join(join(range, member.h), {member.x.low / scale, member.x.high / scale});
    for (std::vector<float>& scales : shared.scales) scales.resize(gates_of(member), 0.0f);
    for (std::size_t row = 0; row < member.w.rows(); ++row) {
      float& of_row = shared.scales[direction_of(member, row)][row % gates_of(member)];
      of_row = std::max({of_row, member.w.largest[row] * scale / limit_, member.r.largest[row] / limit_});
    }
  }
  shared.levels = sequence_levels(range, symmetry_);
  for (std::vector<float>& scales : shared.scales) {
    if (ov::is_type<ov::opset8::LSTMSequence>(members_.front().node)) share_first_gates(scales);
    for (float& scale : scales)
      if (scale == 0.0f) scale = 1.0f;
  }
  return shared;
}

// Noise over signal of the gates, and of the output, which the kernel rounds too. In units of 1/12.
double SequenceGroup::noise_of(const SequenceNumbers& member, const Shared& shared, std::size_t index) {
  const double signal = member.w.output_power + member.r.output_power;
  if (signal <= 0 || member.r.input_power <= 0) return 0;
  const double scale = squared(shared.input_scales[index]);
  const double step = squared((shared.levels.high - shared.levels.low) / 255);
  double of_weights = 0;
  for (std::size_t row = 0; row < member.w.rows(); ++row) of_weights += squared(shared.scale(member, row));
  const double gates = of_weights * (member.w.input_power / scale + member.r.input_power) +
                       step * (scale * member.w.squares + member.r.squares);
  return gates / signal + step * static_cast<double>(member.r.columns) / member.r.input_power;
}

SequenceEdit SequenceGroup::edit_of(const SequenceNumbers& member, const Shared& shared, std::size_t index) const {
  const float scale = shared.input_scales[index];
  SequenceEdit edit;
  edit.op = op_name(*member.node);
  edit.type = member.node->get_type_name();
  edit.form = SequenceForm::Kernel;
  edit.state_levels = shared.levels;
  edit.input_levels = {shared.levels.low * scale, shared.levels.high * scale};
  edit.input_scale = scale;
  edit.input_weights = quantize(member, member.w, scale, shared);
  edit.state_weights = quantize(member, member.r, 1.0f, shared);
  return edit;
}

QuantizedWeights SequenceGroup::quantize(const SequenceNumbers& member, const GateWeights& weights, float factor,
                                         const Shared& shared) const {
  QuantizedWeights result{
      std::vector<std::int8_t>(weights.values.size()), {}, {weights.rows() / gates_of(member), gates_of(member), 1}};
  for (std::size_t row = 0; row < weights.rows(); ++row) result.scales.push_back(shared.scale(member, row));
  for (std::size_t i = 0; i < weights.values.size(); ++i) {
    const float level = std::nearbyint(weights.values[i] * factor / result.scales[i / weights.columns]);
    result.values[i] = static_cast<std::int8_t>(std::clamp(level, -limit_, limit_));
  }
  return result;
}

}  // namespace lpot
