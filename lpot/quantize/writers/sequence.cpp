#include "lpot/quantize/writers/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/quantize/graph/sequences.h"
#include "lpot/quantize/writers/int8_nodes.h"

namespace lpot {
namespace {

namespace op = ov::opset8;
using Output = ov::Output<ov::Node>;

constexpr std::int64_t kSteps = 1;  // the axis of the steps in X and in the products

std::shared_ptr<op::Constant> integers(const std::vector<std::int64_t>& values) {
  return op::Constant::create(ov::element::i64, {values.size()}, values);
}
std::shared_ptr<op::Constant> axis_constant(std::int64_t axis) {
  return op::Constant::create(ov::element::i64, {}, {axis});
}

// The plug-in leaves a sequence with a constant state in f32. Adding zero times a value of X to the state prevents the
// plug-in from folding it to a constant.
Output unfolded_state(const Output& state, const Output& x, const std::string& name) {
  if (depends_on_inputs(state)) return state;
  const auto first = std::make_shared<op::Slice>(x, integers({0, 0}), integers({1, 1}), integers({1, 1}),
                                                 integers({1, 2}));  // [batch, 1, 1]
  const auto zero = std::make_shared<op::Multiply>(first, op::Constant::create(ov::element::f32, {}, {0.0f}));
  const auto sum = std::make_shared<op::Add>(state, zero);
  first->set_friendly_name(name + "/first");
  zero->set_friendly_name(name + "/zero");
  sum->set_friendly_name(name + "/state");
  return sum;
}

std::shared_ptr<op::Constant> constant_input(const ov::Node& node, std::size_t input) {
  return ov::as_type_ptr<op::Constant>(node.get_input_node_shared_ptr(input));
}

// X with more inputs, which are zero.
Output with_zero_inputs(const Output& x, const SequenceEdit& edit, const std::string& name) {
  if (edit.zero_inputs == 0) return x;
  const auto pad =
      std::make_shared<op::Pad>(x, integers({0, 0, 0}), integers({0, 0, static_cast<std::int64_t>(edit.zero_inputs)}),
                                op::Constant::create(ov::element::f32, {}, {0.0f}), ov::op::PadMode::CONSTANT);
  pad->set_friendly_name(name + "/padded_input");
  return pad;
}

// W for these inputs.
Output with_zero_inputs(const op::Constant& weights, const SequenceEdit& edit) {
  if (edit.zero_inputs == 0) return dequantized(weights, edit.input_weights);
  ov::Shape shape = weights.get_shape();
  const std::size_t columns = shape.back(), padded = columns + edit.zero_inputs;
  const std::size_t rows = edit.input_weights.values.size() / columns;
  shape.back() = padded;
  std::vector<std::int8_t> values(rows * padded, 0);
  for (std::size_t row = 0; row < rows; ++row)
    std::copy_n(edit.input_weights.values.begin() + static_cast<std::ptrdiff_t>(row * columns), columns,
                values.begin() + static_cast<std::ptrdiff_t>(row * padded));
  const Shape& scales = edit.input_weights.scale_shape;
  return dequantized(shape, values, {scales.begin(), scales.end()}, edit.input_weights.scales,
                     weights.get_friendly_name());
}

void write_kernel(const std::shared_ptr<ov::Node>& node, const SequenceEdit& edit) {
  const std::string name = node->get_friendly_name();
  const SequenceInputs inputs = sequence_inputs(*node);
  const Output x = fake_quantize(with_zero_inputs(node->input_value(0), edit, name), edit.input_levels,
                                 edit.state_levels, name + "/quantize_input");
  const Output state = unfolded_state(node->input_value(1), x, name);
  node->input(1).replace_source_output(fake_quantize(state, edit.state_levels, name + "/quantize_state"));
  node->input(0).replace_source_output(x);
  node->input(inputs.weights).replace_source_output(with_zero_inputs(*constant_input(*node, inputs.weights), edit));
  node->input(inputs.state_weights)
      .replace_source_output(dequantized(*constant_input(*node, inputs.state_weights), edit.state_weights));
}

// What computes the products of a loop. F32 also uses the rounded state everywhere, like the int8 kernel.
enum class LoopProducts { Int8, F32 };

// One direction of a sequence as a loop over the steps. The products of X with W are computed before the loop.
class SequenceLoop {
 public:
  SequenceLoop(const ov::Node& node, const SequenceEdit& edit, LoopProducts products, std::size_t direction)
      : node_(node), edit_(edit), products_(products), direction_(direction), inputs_(sequence_inputs(node)) {
    const ov::Shape& shape = node.get_input_shape(inputs_.state_weights);
    gates_ = shape[1];
    hidden_ = shape[2];
    const auto gru = ov::as_type<const op::GRUSequence>(&node);
    linear_before_reset_ = gru && gru->get_linear_before_reset();
    name_ = fmt::format("{}/{}", node.get_friendly_name(), direction);
  }

  // The outputs of this direction without its dimension: Y [batch, steps, hidden], the last H and, for an LSTM, C.
  ov::OutputVector write(const Output& x, bool reverse) const {
    const Output gates = named(std::make_shared<op::Add>(product(x, weights(edit_.input_weights, 0, gates_), "inputs"),
                                                         constant(bias(0, gates_), {1, 1, gates_})),
                               "gates");
    const ov::Dimension batch = x.get_partial_shape()[0];
    const auto step = std::make_shared<op::Parameter>(ov::element::f32,
                                                      ov::PartialShape{batch, 1, static_cast<std::int64_t>(gates_)});
    const ov::PartialShape state_shape{batch, static_cast<std::int64_t>(hidden_)};
    const auto h = std::make_shared<op::Parameter>(ov::element::f32, state_shape);
    const auto c = std::make_shared<op::Parameter>(ov::element::f32, state_shape);
    const Output now = std::make_shared<op::Squeeze>(step, integers({kSteps}));
    const ov::OutputVector next = inputs_.has_cell_state ? lstm_cell(now, h, c) : gru_cell(now, h);
    const Output y = std::make_shared<op::Unsqueeze>(next[0], integers({kSteps}));

    ov::OutputVector results = next;
    results.push_back(y);
    ov::ParameterVector parameters{step, h};
    if (inputs_.has_cell_state) parameters.push_back(c);
    const auto loop = std::make_shared<op::TensorIterator>();
    loop->set_friendly_name(name_);
    loop->set_function(std::make_shared<ov::Model>(results, parameters));
    const std::int64_t start = reverse ? -1 : 0, stride = reverse ? -1 : 1, end = reverse ? 0 : -1;
    loop->set_sliced_input(step, gates, start, stride, 1, end, kSteps);
    loop->set_merged_input(h, initial(1), next[0]);
    if (inputs_.has_cell_state) loop->set_merged_input(c, initial(2), next[1]);
    ov::OutputVector outputs{loop->get_concatenated_slices(y, start, stride, 1, end, kSteps)};
    for (const Output& state : next) outputs.push_back(loop->get_iter_value(state, -1));
    return outputs;
  }

 private:
  template <typename Node>
  Output named(const std::shared_ptr<Node>& node, const char* suffix) const {
    node->set_friendly_name(name_ + "/" + suffix);
    return node;
  }

  static Output constant(const std::vector<float>& values, const ov::Shape& shape) {
    return op::Constant::create(ov::element::f32, shape, values);
  }

  // These rows of this direction's bias.
  std::vector<float> bias(std::size_t first, std::size_t count) const {
    const std::vector<float> all = constant_input(node_, inputs_.bias)->cast_vector<float>();
    const std::size_t rows = node_.get_input_shape(inputs_.bias)[1];
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(direction_ * rows + first);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }

  // These rows of this direction's weights.
  Output weights(const QuantizedWeights& of_node, std::size_t first, std::size_t count) const {
    const std::size_t columns = of_node.values.size() / (of_node.scales.size());
    const std::size_t row = direction_ * gates_ + first;
    const auto values = of_node.values.begin() + static_cast<std::ptrdiff_t>(row * columns);
    const auto scale = of_node.scales.begin() + static_cast<std::ptrdiff_t>(row);
    const std::vector<std::int8_t> rows(values, values + static_cast<std::ptrdiff_t>(count * columns));
    const std::vector<float> scales(scale, scale + static_cast<std::ptrdiff_t>(count));
    if (products_ == LoopProducts::Int8)
      return dequantized({count, columns}, rows, {count, 1}, scales, fmt::format("{}/weights_{}", name_, first));
    std::vector<float> floats(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) floats[i] = static_cast<float>(rows[i]) * scales[i / columns];
    return constant(floats, {count, columns});
  }

  Output product(const Output& activation, const Output& weights, const char* suffix) const {
    return named(std::make_shared<op::MatMul>(activation, weights, false, true), suffix);
  }
  Output state_product(const Output& state, std::size_t first, std::size_t count) const {
    return product(state, weights(edit_.state_weights, first, count), first == 0 ? "state" : "candidate");
  }
  Output rounded(const Output& state, const char* suffix) const {
    return fake_quantize(state, edit_.state_levels, fmt::format("{}/{}", name_, suffix));
  }

  Output initial(std::size_t input) const {
    return std::make_shared<op::Gather>(node_.input_value(input), axis_constant(static_cast<std::int64_t>(direction_)),
                                        axis_constant(1));
  }

  // Gates f, i, c, o.
  ov::OutputVector lstm_cell(const Output& gates, const Output& h, const Output& c) const {
    const auto sum = std::make_shared<op::Add>(gates, state_product(rounded(h, "quantize_state"), 0, gates_));
    const auto parts = std::make_shared<op::Split>(sum, axis_constant(1), 4);
    const auto sigmoid = [&](std::size_t part) { return std::make_shared<op::Sigmoid>(parts->output(part)); };
    const auto candidate = std::make_shared<op::Tanh>(parts->output(2));
    const auto cell = std::make_shared<op::Add>(std::make_shared<op::Multiply>(sigmoid(0), c),
                                                std::make_shared<op::Multiply>(sigmoid(1), candidate));
    return {std::make_shared<op::Multiply>(sigmoid(3), std::make_shared<op::Tanh>(cell)), cell};
  }

  // Gates z, r, h.
  ov::OutputVector gru_cell(const Output& gates, const Output& h) const {
    const Output state = rounded(h, "quantize_state");
    const Output previous_state = products_ == LoopProducts::F32 && !linear_before_reset_ ? state : h;
    const auto sizes = integers({static_cast<std::int64_t>(2 * hidden_), static_cast<std::int64_t>(hidden_)});
    const auto of_input = std::make_shared<op::VariadicSplit>(gates, axis_constant(1), sizes);
    Output of_state, candidate_of_state;
    if (linear_before_reset_) {
      std::vector<float> inner(gates_, 0.0f);
      const std::vector<float> of_candidate = bias(gates_, hidden_);
      std::copy(of_candidate.begin(), of_candidate.end(), inner.end() - static_cast<std::ptrdiff_t>(hidden_));
      const auto all = std::make_shared<op::Add>(state_product(state, 0, gates_), constant(inner, {1, gates_}));
      const auto parts = std::make_shared<op::VariadicSplit>(all, axis_constant(1), sizes);
      of_state = parts->output(0);
      candidate_of_state = parts->output(1);
    } else {
      of_state = state_product(state, 0, 2 * hidden_);
    }
    const auto sum = std::make_shared<op::Add>(of_input->output(0), of_state);
    const auto update_reset = std::make_shared<op::Split>(std::make_shared<op::Sigmoid>(sum), axis_constant(1), 2);
    const Output update = update_reset->output(0), reset = update_reset->output(1);
    if (linear_before_reset_)
      candidate_of_state = std::make_shared<op::Multiply>(reset, candidate_of_state);
    else
      candidate_of_state = state_product(
          rounded(std::make_shared<op::Multiply>(reset, previous_state), "quantize_reset"), 2 * hidden_, hidden_);
    const auto candidate =
        std::make_shared<op::Tanh>(std::make_shared<op::Add>(of_input->output(1), candidate_of_state));
    const auto difference = std::make_shared<op::Subtract>(previous_state, candidate);
    return {std::make_shared<op::Add>(candidate, std::make_shared<op::Multiply>(update, difference))};
  }

  const ov::Node& node_;
  const SequenceEdit& edit_;
  const LoopProducts products_;
  const std::size_t direction_;
  const SequenceInputs inputs_;
  std::size_t gates_ = 0, hidden_ = 0;  // rows of the weights of one direction, size of the state
  bool linear_before_reset_ = false;
  std::string name_;
};

void write_loop(const std::shared_ptr<ov::Node>& node, const SequenceEdit& edit, LoopProducts products) {
  const std::string name = node->get_friendly_name();
  const Range& levels = edit.form == SequenceForm::Kernel ? edit.state_levels : edit.input_levels;
  const Output x = fake_quantize(node->input_value(0), edit.input_levels, levels, name + "/quantize_input");
  const std::size_t directions = node->get_input_shape(sequence_inputs(*node).weights)[0];
  const auto kind = ov::is_type<op::LSTMSequence>(node) ? ov::as_type<op::LSTMSequence>(node.get())->get_direction()
                                                        : ov::as_type<op::GRUSequence>(node.get())->get_direction();
  const bool first_is_reverse = kind == ov::op::RecurrentSequenceDirection::REVERSE;
  std::vector<ov::OutputVector> of_output(node->get_output_size());
  for (std::size_t i = 0; i < directions; ++i) {
    const ov::OutputVector outputs =
        SequenceLoop(*node, edit, products, i).write(x, directions == 2 ? i == 1 : first_is_reverse);
    for (std::size_t k = 0; k < outputs.size(); ++k)
      of_output[k].push_back(std::make_shared<op::Unsqueeze>(outputs[k], integers({1})));
  }
  for (std::size_t k = 0; k < of_output.size(); ++k) {
    const auto joined = std::make_shared<op::Concat>(of_output[k], 1);
    joined->set_friendly_name(fmt::format("{}/output_{}", name, k));
    replace_output(node->output(k), joined);
  }
}

}  // namespace

void write_sequence(const std::shared_ptr<ov::Node>& node, const SequenceEdit& edit) {
  if (edit.form == SequenceForm::Kernel)
    write_kernel(node, edit);
  else
    write_loop(node, edit, LoopProducts::Int8);
}

void write_sequence_in_f32(const std::shared_ptr<ov::Node>& node, const SequenceEdit& edit) {
  write_loop(node, edit, LoopProducts::F32);
}

}  // namespace lpot
