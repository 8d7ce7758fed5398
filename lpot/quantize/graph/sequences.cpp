#include "lpot/quantize/graph/sequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <set>

#include "lpot/core/error.h"
#include "lpot/quantize/graph/activation_range.h"
#include "lpot/quantize/graph/placement.h"

namespace lpot {
namespace {

namespace op = ov::opset8;
using Output = ov::Output<ov::Node>;

std::string name_of_tensor(const Output& tensor) { return tensor_name(*tensor.get_node(), tensor.get_index()); }

bool is_float_constant(const Output& tensor) {
  return ov::is_type<op::Constant>(tensor.get_node()) && tensor.get_element_type() == ov::element::f32;
}

std::vector<float> values_of(const Output& constant) {
  return ov::as_type<const op::Constant>(constant.get_node())->cast_vector<float>();
}

// Activation functions and clipping of the cell, which the int8 kernel and the loop do not know.
template <typename Sequence>
bool is_usual_cell(const Sequence& node, const std::vector<std::string>& functions) {
  return node.get_activations() == functions && node.get_activations_alpha().empty() &&
         node.get_activations_beta().empty() && node.get_clip() == 0.0f;
}

std::optional<SequenceForm> form_of(const ov::Node& node) {
  if (const auto lstm = ov::as_type<const op::LSTMSequence>(&node))
    return is_usual_cell(*lstm, {"sigmoid", "tanh", "tanh"}) ? std::optional(SequenceForm::Kernel) : std::nullopt;
  if (const auto gru = ov::as_type<const op::GRUSequence>(&node))
    if (is_usual_cell(*gru, {"sigmoid", "tanh"}))
      return gru->get_linear_before_reset() ? SequenceForm::Loop : SequenceForm::Kernel;
  return std::nullopt;
}

// The single value of a constant; nothing for other tensors.
std::optional<std::int64_t> index_in(const Output& tensor) {
  const auto constant = ov::as_type<const op::Constant>(tensor.get_node());
  if (!constant || ov::shape_size(constant->get_shape()) != 1) return std::nullopt;
  return constant->cast_vector<std::int64_t>().front();
}

// Whether the lengths are the number of steps of X. Front ends write this as a constant or compute it from X's shape.
bool reads_all_steps(const ov::Node& node) {
  static const std::set<std::string> kSameValues{"Broadcast", "Convert", "Reshape", "Squeeze", "Unsqueeze"};
  const Output x = node.input_value(0);
  Output lengths = node.input_value(sequence_inputs(node).lengths);
  while (kSameValues.contains(lengths.get_node()->get_type_name())) lengths = lengths.get_node()->input_value(0);
  if (const auto constant = ov::as_type<const op::Constant>(lengths.get_node())) {
    const ov::Dimension steps = x.get_partial_shape()[1];
    const auto values = constant->cast_vector<std::int64_t>();
    return steps.is_static() &&
           std::all_of(values.begin(), values.end(), [&](std::int64_t value) { return value >= steps.get_length(); });
  }
  const ov::Node* gather = lengths.get_node();
  if (std::string_view(gather->get_type_name()) != "Gather") return false;
  const ov::Node* shape = gather->get_input_node_ptr(0);
  if (ov::is_type<op::Convert>(shape)) shape = shape->get_input_node_ptr(0);
  const auto index = index_in(gather->input_value(1));
  return std::string_view(shape->get_type_name()) == "ShapeOf" && shape->input_value(0) == x && index &&
         (*index == 1 || *index == -2);
}

bool is_quantizable_sequence(const ov::Node& node) {
  if (!form_of(node)) return false;
  const SequenceInputs inputs = sequence_inputs(node);
  const ov::PartialShape& x = node.get_input_partial_shape(0);
  return x.rank().is_static() && x[2].is_static() && node.get_input_element_type(0) == ov::element::f32 &&
         !ov::is_type<op::Constant>(node.get_input_node_ptr(0)) &&
         is_float_constant(node.input_value(inputs.weights)) &&
         is_float_constant(node.input_value(inputs.state_weights)) &&
         is_float_constant(node.input_value(inputs.bias)) && reads_all_steps(node);
}

QuantizableOp describe_sequence(const ov::Node& node) {
  const ov::Shape& shape = node.get_input_shape(sequence_inputs(node).weights);
  return {.name = op_name(node),
          .type = node.get_type_name(),
          .activation = name_of_tensor(node.input_value(0)),
          .weight_axes = {0, 1},
          .input_axes = {2},
          .weight_shape = Shape(shape.begin(), shape.end()),
          .second = tensor_name(node, 0),
          .sequence = form_of(node)};
}

// Calls `use(node)` for every quantizable sequence, in topological order.
template <typename Use>
void for_each_sequence(const Model& model, Use&& use) {
  for (const auto& node : model.graph->get_ordered_ops())
    if (is_quantizable_sequence(*node) && may_be_quantized(node->input(0))) use(*node);
}

const TensorStatistics& observed_in(const Statistics& statistics, const std::string& op, const std::string& tensor) {
  const auto found = statistics.find(tensor);
  if (found == statistics.end())
    throw DataError("quantize",
                    fmt::format("op '{}': its tensor '{}' has no statistics. Calibrate first.", op, tensor));
  return found->second;
}

Range joined(const Range& a, const Range& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

Range observed_range(const TensorStatistics& tensor) {
  return {std::min(tensor.min(), 0.0f), std::max(tensor.max(), 0.0f)};
}

// The range of H before the first step and after every step.
Range state_range(const ov::Node& node, const Statistics& statistics) {
  Range range = observed_range(observed_in(statistics, op_name(node), tensor_name(node, 0)));
  const Output initial = node.input_value(1);
  if (ov::is_type<op::Constant>(initial.get_node())) {
    for (const float value : values_of(initial)) range = joined(range, {value, value});
  } else if (depends_on_inputs(initial)) {
    range = joined(range, observed_range(observed_in(statistics, op_name(node), name_of_tensor(initial))));
  }
  return range;
}

// Levels of a sequence. Zero is a level in both cases.
Range sequence_levels(Range range, Symmetry symmetry) {
  if (symmetry == Symmetry::Symmetric) {
    range.high = std::max(-range.low, range.high);
    range.low = -range.high;
  }
  return activation_levels(range, symmetry);
}

// The weights of one input as rows, one per direction and channel of the gates.
struct GateWeights {
  std::vector<float> values;
  std::size_t columns = 0;
  std::vector<float> largest;  // magnitude in each row

  GateWeights(const ov::Node& node, std::size_t input)
      : values(values_of(node.input_value(input))), columns(node.get_input_shape(input)[2]) {
    for (std::size_t row = 0; row < rows(); ++row) {
      float magnitude = 0;
      for (std::size_t i = 0; i < columns; ++i) magnitude = std::max(magnitude, std::fabs(values[row * columns + i]));
      largest.push_back(magnitude);
    }
  }
  std::size_t rows() const { return values.size() / columns; }
};

// The weights and statistics of a sequence that runs in the int8 kernel.
struct KernelNumbers {
  const ov::Node* node;
  GateWeights w, r;
  std::vector<double> x_powers, h_powers;  // mean squares of the channels
  Range x, h;

  std::size_t gates() const { return node->get_input_shape(sequence_inputs(*node).weights)[1]; }

  // The exponent of the power of two that gives X the range of H.
  int middle() const {
    const auto magnitude = [](const Range& range) { return std::max({-range.low, range.high, 1e-30f}); };
    return static_cast<int>(std::lround(std::log2(magnitude(x) / magnitude(h))));
  }

  // 0 for a row of a forward direction, 1 for a backward one.
  std::size_t direction_of(std::size_t row) const {
    const auto lstm = ov::as_type<const op::LSTMSequence>(node);
    const auto direction = lstm ? lstm->get_direction() : ov::as_type<const op::GRUSequence>(node)->get_direction();
    if (direction == ov::op::RecurrentSequenceDirection::BIDIRECTIONAL) return row / gates();
    return direction == ov::op::RecurrentSequenceDirection::REVERSE ? 1 : 0;
  }
};

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double weighted_squares(const GateWeights& weights, const std::vector<double>& powers) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.values.size(); ++i) {
    const auto value = static_cast<double>(weights.values[i]);
    sum += value * value * (powers.empty() ? 1.0 : powers[i % weights.columns]);
  }
  return sum;
}

// Mean squares of the channels; their mean for all if they were not observed one by one.
std::vector<double> powers_of(const TensorStatistics& tensor, std::size_t channels) {
  std::vector<double> powers;
  for (const ChannelStatistics& channel : tensor.channels()) powers.push_back(channel.mean_square());
  if (powers.size() == channels) return powers;
  return std::vector<double>(channels, powers.empty() ? 0.0 : sum_of(powers) / static_cast<double>(powers.size()));
}

// The numbers that the sequences of a group share.
struct SharedNumbers {
  std::vector<float> input_scales;  // one per sequence
  Range levels;
  std::vector<float> scales[2];  // by direction, one per row of the gates
};

// Sequences of the same size. The plug-in compiles the kernel of the first and reuses it, with its scales, for the
// others. So all of them get the same levels and scales.
class KernelGroup {
 public:
  // `plan`: of all sequences of the group.
  explicit KernelGroup(const OpPlan& plan)
      : symmetry_(plan.activation.symmetry), limit_(static_cast<float>(weight_limit(plan.weight))) {}

  void add(KernelNumbers numbers) { members_.push_back(std::move(numbers)); }

  // X is divided by a power of two. A large one makes the integers of R coarse, a small one those of H. Rounding with
  // step s adds noise of variance s^2 / 12 (noise.h), and the powers with the least noise are used.
  std::vector<SequenceEdit> edits() const {
    SharedNumbers best;
    double least = std::numeric_limits<double>::infinity();
    for (int exponent = -5; exponent <= 2; ++exponent) {
      SharedNumbers numbers = numbers_with(exponent);
      double noise = 0;
      for (std::size_t i = 0; i < members_.size(); ++i) noise += noise_of(members_[i], numbers, i);
      if (noise >= least) continue;
      least = noise;
      best = std::move(numbers);
    }
    std::vector<SequenceEdit> all;
    for (std::size_t i = 0; i < members_.size(); ++i) all.push_back(edit_of(members_[i], best, i));
    return all;
  }

 private:
  SharedNumbers numbers_with(int exponent) const {
    SharedNumbers numbers;
    Range range{0, 0};
    for (const KernelNumbers& member : members_) {
      const float scale = std::ldexp(1.0f, member.middle() + exponent);
      numbers.input_scales.push_back(scale);
      range = joined(joined(range, member.h), {member.x.low / scale, member.x.high / scale});
      for (std::vector<float>& scales : numbers.scales) scales.resize(member.gates(), 0.0f);
      for (std::size_t row = 0; row < member.w.rows(); ++row) {
        float& of_row = numbers.scales[member.direction_of(row)][row % member.gates()];
        of_row = std::max({of_row, member.w.largest[row] * scale / limit_, member.r.largest[row] / limit_});
      }
    }
    numbers.levels = sequence_levels(range, symmetry_);
    for (std::vector<float>& scales : numbers.scales) {
      if (ov::is_type<op::LSTMSequence>(members_.front().node)) share_first_gates(scales);
      for (float& scale : scales)
        if (scale == 0.0f) scale = 1.0f;
    }
    return numbers;
  }

  // The plug-in swaps the gates f and i of an LSTM for its kernel, but not their scales.
  static void share_first_gates(std::vector<float>& scales) {
    const std::size_t hidden = scales.size() / 4;
    for (std::size_t i = 0; i < hidden; ++i) scales[i] = scales[hidden + i] = std::max(scales[i], scales[hidden + i]);
  }

  // Noise over signal of the gates, and of the output, which the kernel rounds too. In units of 1/12.
  static double noise_of(const KernelNumbers& member, const SharedNumbers& numbers, std::size_t index) {
    const auto squared = [](auto value) { return static_cast<double>(value) * static_cast<double>(value); };
    const double signal = weighted_squares(member.w, member.x_powers) + weighted_squares(member.r, member.h_powers);
    const double x_power = sum_of(member.x_powers), h_power = sum_of(member.h_powers);
    if (signal <= 0 || h_power <= 0) return 0;
    const double scale = squared(numbers.input_scales[index]);
    const double step = squared((numbers.levels.high - numbers.levels.low) / 255);
    double of_weights = 0;
    for (std::size_t row = 0; row < member.w.rows(); ++row)
      of_weights += squared(numbers.scales[member.direction_of(row)][row % member.gates()]);
    const double gates = of_weights * (x_power / scale + h_power) +
                         step * (scale * weighted_squares(member.w, {}) + weighted_squares(member.r, {}));
    return gates / signal + step * static_cast<double>(member.r.columns) / h_power;
  }

  SequenceEdit edit_of(const KernelNumbers& member, const SharedNumbers& numbers, std::size_t index) const {
    const float scale = numbers.input_scales[index];
    SequenceEdit edit;
    edit.op = op_name(*member.node);
    edit.type = member.node->get_type_name();
    edit.form = SequenceForm::Kernel;
    edit.state_levels = numbers.levels;
    edit.input_levels = {numbers.levels.low * scale, numbers.levels.high * scale};
    edit.input_scale = scale;
    edit.input_weights = quantize_gates(member, member.w, scale, numbers);
    edit.state_weights = quantize_gates(member, member.r, 1.0f, numbers);
    return edit;
  }

  QuantizedWeights quantize_gates(const KernelNumbers& member, const GateWeights& weights, float factor,
                                  const SharedNumbers& numbers) const {
    QuantizedWeights result{
        std::vector<std::int8_t>(weights.values.size()), {}, {weights.rows() / member.gates(), member.gates(), 1}};
    for (std::size_t row = 0; row < weights.rows(); ++row)
      result.scales.push_back(numbers.scales[member.direction_of(row)][row % member.gates()]);
    for (std::size_t i = 0; i < weights.values.size(); ++i) {
      const float level = std::nearbyint(weights.values[i] * factor / result.scales[i / weights.columns]);
      result.values[i] = static_cast<std::int8_t>(std::clamp(level, -limit_, limit_));
    }
    return result;
  }

  const Symmetry symmetry_;
  const float limit_;
  std::vector<KernelNumbers> members_;
};

QuantizedWeights quantize_input(const ov::Node& node, std::size_t input, const TensorScheme& scheme) {
  const ov::Shape& shape = node.get_input_shape(input);
  return quantize_weights(values_of(node.input_value(input)), Shape(shape.begin(), shape.end()), {0, 1}, scheme);
}

const TensorStatistics& statistics_of_input(const ov::Node& node, const Statistics& statistics) {
  return observed_in(statistics, op_name(node), name_of_tensor(node.input_value(0)));
}

Range input_range(const ov::Node& node, const OpPlan& plan, const Statistics& statistics) {
  return find_range(statistics_of_input(node, statistics), plan.activation.algorithm,
                    {.symmetry = plan.activation.symmetry});
}

SequenceEdit edit_loop(const ov::Node& node, const OpPlan& plan, const Statistics& statistics) {
  const SequenceInputs inputs = sequence_inputs(node);
  SequenceEdit edit;
  edit.op = op_name(node);
  edit.type = node.get_type_name();
  edit.form = SequenceForm::Loop;
  edit.input_levels = activation_levels(input_range(node, plan, statistics), plan.activation.symmetry);
  edit.state_levels = sequence_levels(state_range(node, statistics), plan.activation.symmetry);
  edit.input_weights = quantize_input(node, inputs.weights, plan.weight);
  edit.state_weights = quantize_input(node, inputs.state_weights, plan.weight);
  return edit;
}

KernelNumbers kernel_numbers(const ov::Node& node, const OpPlan& plan, const Statistics& statistics) {
  const SequenceInputs inputs = sequence_inputs(node);
  GateWeights w(node, inputs.weights), r(node, inputs.state_weights);
  return {.node = &node,
          .w = w,
          .r = r,
          .x_powers = powers_of(statistics_of_input(node, statistics), w.columns),
          .h_powers = powers_of(observed_in(statistics, op_name(node), tensor_name(node, 0)), r.columns),
          .x = input_range(node, plan, statistics),
          .h = state_range(node, statistics)};
}

}  // namespace

SequenceInputs sequence_inputs(const ov::Node& node) {
  if (ov::is_type<op::LSTMSequence>(&node)) return {3, 4, 5, 6, true};
  return {2, 3, 4, 5, false};
}

std::vector<QuantizableOp> recurrent_sequences(const Model& model) {
  std::vector<QuantizableOp> sequences;
  for_each_sequence(model, [&](const ov::Node& node) { sequences.push_back(describe_sequence(node)); });
  return sequences;
}

std::vector<ObservationPoint> sequence_points(const Model& model) {
  std::vector<ObservationPoint> points;
  for_each_sequence(model, [&](const ov::Node& node) {
    points.push_back({name_of_tensor(node.input_value(0)), -1});
    points.push_back({tensor_name(node, 0), -1});
    if (depends_on_inputs(node.input_value(1))) points.push_back({name_of_tensor(node.input_value(1)), -1});
  });
  return points;
}

std::vector<SequenceEdit> sequence_edits(const Model& model, const Plan& plan, const Statistics& statistics) {
  std::vector<SequenceEdit> edits;
  std::map<std::string, std::size_t> places;  // in topological order
  std::map<std::string, KernelGroup> groups;  // by size
  for_each_sequence(model, [&](const ov::Node& node) {
    const auto found = plan.ops.find(op_name(node));
    if (found == plan.ops.end() || !found->second.is_int8()) return;
    places.emplace(op_name(node), places.size());
    if (*form_of(node) == SequenceForm::Loop) {
      edits.push_back(edit_loop(node, found->second, statistics));
      return;
    }
    const SequenceInputs inputs = sequence_inputs(node);
    const std::string size = fmt::format("{} {} {}", node.get_type_name(), node.get_input_shape(inputs.weights)[2],
                                         node.get_input_shape(inputs.state_weights)[2]);
    groups.try_emplace(size, found->second).first->second.add(kernel_numbers(node, found->second, statistics));
  });
  for (const auto& [size, group] : groups)
    for (SequenceEdit& edit : group.edits()) edits.push_back(std::move(edit));
  std::sort(edits.begin(), edits.end(),
            [&](const SequenceEdit& a, const SequenceEdit& b) { return places.at(a.op) < places.at(b.op); });
  return edits;
}

bool depends_on_inputs(const Output& tensor) {
  std::vector<const ov::Node*> open{tensor.get_node()};
  std::set<const ov::Node*> seen;
  while (!open.empty()) {
    const ov::Node* node = open.back();
    open.pop_back();
    const std::string_view type = node->get_type_name();
    if (type == "Parameter" || type == "ReadValue") return true;
    if (type == "ShapeOf" || !seen.insert(node).second) continue;
    for (std::size_t i = 0; i < node->get_input_size(); ++i) open.push_back(node->get_input_node_ptr(i));
  }
  return false;
}

}  // namespace lpot
