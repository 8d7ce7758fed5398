// Recurrent sequences (LSTM, GRU) in int8.
#include "lpot/quantize/graph/sequences.h"

#include <gmock/gmock.h>

#include <cmath>

#include "lpot/core/cpu.h"
#include "lpot/core/error.h"
#include "lpot/model/save.h"
#include "lpot/plan/search_space.h"
#include "lpot/quantize/graph/products.h"
#include "lpot/quantize/kernel_variants/choose.h"
#include "lpot/quantize/noise.h"
#include "lpot/quantize/quantize.h"
#include "lpot/quantize/recipes/table.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/saturation.h"
#include "lpot/quantize/sequence_check.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/runtime/executable.h"
#include "tests/quantize/writers/export_onnx.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kInputs = 24, kHidden = 40, kSteps = 30;

enum class Cell { Lstm, Gru, LinearGru };
enum class State { Constant, FromShape, Given };

struct SequenceOptions {
  Cell cell = Cell::Lstm;
  ov::op::RecurrentSequenceDirection direction = ov::op::RecurrentSequenceDirection::FORWARD;
  State state = State::Constant;
  std::int64_t steps = kSteps;  // -1: dynamic
  bool has_short_lengths = false;
  std::vector<std::string> functions = {};  // empty: the usual ones
  float input_range = 1;
};

std::size_t directions_of(const SequenceOptions& options) {
  return options.direction == ov::op::RecurrentSequenceDirection::BIDIRECTIONAL ? 2 : 1;
}

// Rows with different magnitudes, so that a scale of a wrong row is noticed.
std::shared_ptr<op::Constant> uneven_weights(const ov::Shape& shape, unsigned seed) {
  std::vector<float> values = random_values(ov::shape_size(shape), seed, -0.3f, 0.3f);
  const std::vector<float> factors = random_values(shape[0] * shape[1], seed + 100, 0.3f, 1.5f);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factors[i / shape[2]];
  return constant(shape, values);
}

ov::Output<ov::Node> initial_state(const SequenceOptions& options, const std::shared_ptr<op::Parameter>& x,
                                   ov::ParameterVector& inputs) {
  const std::size_t directions = directions_of(options);
  const ov::Shape shape{1, directions, kHidden};
  if (options.state == State::Constant) return random_constant(shape, 9, -0.2f, 0.2f);
  if (options.state == State::Given) {
    inputs.push_back(parameter(shape, "h"));
    return inputs.back();
  }
  const auto sizes = std::make_shared<op::ShapeOf>(x);
  const auto batch = std::make_shared<op::Gather>(sizes, op::Constant::create(ov::element::i64, {1}, {0}),
                                                  op::Constant::create(ov::element::i64, {}, {0}));
  const auto rest = op::Constant::create(ov::element::i64, {2}, {directions, kHidden});
  return std::make_shared<op::Broadcast>(constant({}, {0.0f}),
                                         std::make_shared<op::Concat>(ov::OutputVector{batch, rest}, 0));
}

ov::Output<ov::Node> lengths_of(const SequenceOptions& options, const std::shared_ptr<op::Parameter>& x) {
  if (options.steps >= 0)
    return op::Constant::create(ov::element::i32, {1}, {options.has_short_lengths ? options.steps - 3 : options.steps});
  const auto sizes = std::make_shared<op::ShapeOf>(x, ov::element::i32);
  return std::make_shared<op::Gather>(sizes, op::Constant::create(ov::element::i64, {1}, {1}),
                                      op::Constant::create(ov::element::i64, {}, {0}));
}

// A model of one sequence "rnn" with all its outputs.
Model sequence_model(const SequenceOptions& options = {}) {
  const auto x = parameter({1, options.steps, kInputs}, "x");
  ov::ParameterVector inputs{x};
  const auto state = initial_state(options, x, inputs);
  const auto lengths = lengths_of(options, x);
  const std::size_t directions = directions_of(options), gates = options.cell == Cell::Lstm ? 4 : 3;
  const auto w = uneven_weights({directions, gates * kHidden, kInputs}, 1);
  const auto r = uneven_weights({directions, gates * kHidden, kHidden}, 2);
  const std::size_t bias_gates = options.cell == Cell::Gru ? 3 : 4;
  const auto b = random_constant({directions, bias_gates * kHidden}, 3, -0.5f, 0.5f);
  std::shared_ptr<ov::Node> node;
  if (options.cell == Cell::Lstm) {
    const std::vector<std::string> functions =
        options.functions.empty() ? std::vector<std::string>{"sigmoid", "tanh", "tanh"} : options.functions;
    node = std::make_shared<op::LSTMSequence>(x, state, random_constant({1, directions, kHidden}, 4), lengths, w, r, b,
                                              kHidden, options.direction, std::vector<float>{}, std::vector<float>{},
                                              functions);
  } else {
    node = std::make_shared<op::GRUSequence>(x, state, lengths, w, r, b, kHidden, options.direction,
                                             std::vector<std::string>{"sigmoid", "tanh"}, std::vector<float>{},
                                             std::vector<float>{}, 0.0f, options.cell == Cell::LinearGru);
  }
  node->set_friendly_name("rnn");
  return as_model(node->outputs(), inputs);
}

std::vector<Tensor> sample_of(const SequenceOptions& options, unsigned seed) {
  const float range = options.input_range;
  std::vector<Tensor> sample{random_tensor({1, kSteps, kInputs}, seed, -0.6f * range, range)};
  if (options.state == State::Given)
    sample.push_back(random_tensor({1, directions_of(options), kHidden}, seed + 50, -0.5f, 0.5f));
  return sample;
}

// The samples have the batch dimension already, so each is one batch.
Statistics calibrated(const Model& model, const SequenceOptions& options) {
  Statistics statistics;
  const std::vector<ObservationPoint> points = observation_points(model);
  ov::OutputVector outputs;
  for (const ObservationPoint& point : points)
    for (const auto& node : model.graph->get_ordered_ops())
      for (const auto& output : node->outputs())
        if (tensor_name(*node, output.get_index()) == point.tensor) outputs.push_back(output);
  Model watched = model;
  watched.graph = std::make_shared<ov::Model>(outputs, model.graph->get_parameters());
  for (unsigned seed = 10; seed < 20; ++seed) {
    const std::vector<Tensor> found = Executable(watched).infer(sample_of(options, seed));
    for (std::size_t i = 0; i < points.size(); ++i) statistics[points[i].tensor].add(found[i], points[i].channel_axis);
  }
  return statistics;
}

Plan int8_plan(const Model& model, bool half_range = detect_cpu().needs_half_range()) {
  return first_plan(allowed_choices(searchable_ops(model), {}, recipe_declarations(), half_range).value);
}

// The root mean square of the difference over that of the wanted values.
double relative_error(const std::vector<float>& found, const std::vector<float>& wanted) {
  double difference = 0, power = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    difference += std::pow(static_cast<double>(found[i] - wanted[i]), 2);
    power += std::pow(static_cast<double>(wanted[i]), 2);
  }
  return std::sqrt(difference / power);
}

double largest_error(const Model& int8, const Model& fp32, const SequenceOptions& options) {
  const auto found = run_plainly(int8.graph, sample_of(options, 30)),
             wanted = run_plainly(fp32.graph, sample_of(options, 30));
  double largest = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) largest = std::max(largest, relative_error(found[i], wanted[i]));
  return largest;
}

std::vector<std::string> names_of_ops(const std::vector<QuantizableOp>& ops) {
  std::vector<std::string> names;
  for (const QuantizableOp& op : ops) names.push_back(op.name);
  return names;
}

// The reason of the first mismatch; "": there is none.
std::string first_reason(const Model& model, const Edits& edits, const SequenceOptions& options) {
  const auto found = mismatched_sequences(model, edits, sample_of(options, 30));
  return found.empty() ? "" : found[0].op + ": " + found[0].reason;
}

class EverySequence : public ::testing::TestWithParam<std::tuple<Cell, ov::op::RecurrentSequenceDirection, State>> {
 protected:
  EverySequence() {
    options_.cell = std::get<0>(GetParam());
    options_.direction = std::get<1>(GetParam());
    options_.state = std::get<2>(GetParam());
    if (options_.state == State::FromShape) options_.steps = -1;
  }
  bool is_loop() const { return options_.cell == Cell::LinearGru; }

  SequenceOptions options_;
};

TEST_P(EverySequence, StaysCloseToFp32) {
  if (is_loop() && detect_cpu().needs_half_range())
    GTEST_SKIP() << "this CPU adds 8-bit products in 16 bits; the loop is not offered there";
  const Model model = sequence_model(options_);
  const Model int8 = quantize(model, int8_plan(model), calibrated(model, options_));
  const double error = largest_error(int8, model, options_);
  EXPECT_LT(error, detect_cpu().needs_half_range() ? 0.04 : 0.025);
  EXPECT_GT(error, 0);
}

TEST_P(EverySequence, RunsInInt8) {
  if (is_loop() && detect_cpu().needs_half_range())
    GTEST_SKIP() << "this CPU adds 8-bit products in 16 bits; the loop is not offered there";
  const Model model = sequence_model(options_);
  const Model int8 = quantize(model, int8_plan(model), calibrated(model, options_));
  const std::vector<Tensor> sample = sample_of(options_, 30);
  std::vector<Shape> shapes;
  for (const Tensor& tensor : sample) shapes.push_back(tensor.shape());
  Executable run(int8, {.input_shapes = shapes});
  std::size_t sequences = 0;
  for (const ExecutedOp& kernel : run.executed_ops()) {
    const bool is_sequence = kernel.type == "RNNSeq" || kernel.type.ends_with("Sequence");
    EXPECT_EQ(is_loop() && is_sequence, false) << kernel.name;
    const bool is_product = kernel.type == "FullyConnected" || kernel.type == "Convolution";
    sequences += kernel.is_int8() && (is_loop() ? is_product : is_sequence);
  }
  EXPECT_EQ(sequences, is_loop() ? 2 * directions_of(options_) : directions_of(options_))
      << "a loop has a product before it and one inside";
}

TEST_P(EverySequence, ComputesWhatItsNumbersSay) {
  const Model model = sequence_model(options_);
  for (const bool half_range : {false, true}) {
    if (detect_cpu().needs_half_range() && (!half_range || is_loop())) continue;
    Plan plan = int8_plan(model, false);
    plan.ops.at("rnn").weight.bits = half_range ? 7 : 8;
    for (const Symmetry symmetry : {Symmetry::Asymmetric, Symmetry::Symmetric}) {
      plan.ops.at("rnn").activation.symmetry = symmetry;
      const Edits edits = resolve(model, plan, calibrated(model, options_));
      ASSERT_EQ(edits.sequences.size(), 1u);
      EXPECT_EQ(first_reason(model, edits, options_), "") << half_range;
    }
  }
}

std::string sequence_name(const ::testing::TestParamInfo<EverySequence::ParamType>& test) {
  const auto& [cell, direction, state] = test.param;
  const std::string cells[] = {"Lstm", "Gru", "LinearGru"}, states[] = {"Constant", "FromShape", "Given"};
  const std::string directions[] = {"Forward", "Reverse", "Bidirectional"};
  return cells[static_cast<std::size_t>(cell)] + directions[static_cast<std::size_t>(direction)] +
         states[static_cast<std::size_t>(state)];
}

INSTANTIATE_TEST_SUITE_P(Sequences, EverySequence,
                         ::testing::Combine(::testing::Values(Cell::Lstm, Cell::Gru, Cell::LinearGru),
                                            ::testing::Values(ov::op::RecurrentSequenceDirection::FORWARD,
                                                              ov::op::RecurrentSequenceDirection::REVERSE,
                                                              ov::op::RecurrentSequenceDirection::BIDIRECTIONAL),
                                            ::testing::Values(State::Constant, State::FromShape, State::Given)),
                         sequence_name);

TEST(Sequences, AreSearchableWithInputAndOutput) {
  const Model model = sequence_model();
  const auto ops = searchable_ops(model);
  ASSERT_THAT(names_of_ops(ops), ElementsAre("rnn"));
  EXPECT_EQ(ops[0].activation, "x");
  EXPECT_EQ(ops[0].second, "rnn:0");
  EXPECT_EQ(ops[0].sequence, SequenceForm::Kernel);
  EXPECT_EQ(searchable_ops(sequence_model({.cell = Cell::LinearGru}))[0].sequence, SequenceForm::Loop);
  std::vector<std::string> tensors;
  for (const ObservationPoint& point : observation_points(sequence_model({.state = State::Given})))
    tensors.push_back(point.tensor);
  EXPECT_THAT(tensors, ElementsAre("x", "rnn:0", "h"));
}

TEST(Sequences, StayInFp32WithOtherFunctionsOrShorterLengths) {
  EXPECT_THAT(recurrent_sequences(sequence_model({.functions = {"sigmoid", "relu", "tanh"}})), IsEmpty());
  EXPECT_THAT(recurrent_sequences(sequence_model({.has_short_lengths = true})), IsEmpty());
}

TEST(Sequences, HaveTheirOwnChoices) {
  const auto choices_of = [](Cell cell, bool half_range, QuantizationConfig config = {}) {
    return allowed_choices(searchable_ops(sequence_model({.cell = cell})), config, recipe_declarations(), half_range)
        .value.ops.front()
        .choices;
  };
  EXPECT_EQ(choices_of(Cell::Lstm, false).front().weight.bits, 8);
  EXPECT_EQ(choices_of(Cell::Lstm, true).front().weight.bits, 7);
  EXPECT_TRUE(choices_of(Cell::LinearGru, false).front().is_int8());
  EXPECT_THAT(choices_of(Cell::LinearGru, true), ElementsAre(OpPlan{})) << "the loop is slower than fp32 there";
  QuantizationConfig dynamic;
  dynamic.approach = Approach::DynamicQuantization;
  EXPECT_THAT(choices_of(Cell::Lstm, false, dynamic), ElementsAre(OpPlan{}));
}

TEST(Sequences, CanFallBackToFp32) {
  const Model model = sequence_model();
  Plan plan = int8_plan(model);
  plan.ops.at("rnn") = OpPlan{};
  EXPECT_EQ(count_type(quantize(model, plan, calibrated(model, {})), "FakeQuantize"), 0u);
}

TEST(Sequences, NeedStatistics) {
  const Model model = sequence_model();
  EXPECT_THAT(message_of<DataError>([&] { resolve(model, int8_plan(model), {}); }), HasSubstr("rnn"));
}

TEST(Sequences, ShareLevelsAndScalesInTheKernel) {
  const SequenceOptions wide{.input_range = 20};
  const Model model = sequence_model(wide);
  const SequenceEdit edit = sequence_edits(model, int8_plan(model), calibrated(model, wide)).at(0);
  EXPECT_GT(edit.input_scale, 1) << "the input is wider than the state";
  EXPECT_FLOAT_EQ(edit.input_levels.high, edit.state_levels.high * edit.input_scale);
  EXPECT_FLOAT_EQ(edit.input_levels.low, edit.state_levels.low * edit.input_scale);
  EXPECT_EQ(edit.input_weights.scales, edit.state_weights.scales);
  for (std::size_t i = 0; i < kHidden; ++i)
    EXPECT_EQ(edit.input_weights.scales[i], edit.input_weights.scales[kHidden + i]) << "gates f and i";
  EXPECT_LT(largest_error(quantize(model, int8_plan(model), calibrated(model, wide)), model, wide), 0.05);
}

// What the kernel ignores without an error. The check compares its outputs, so it notices.
TEST(Sequences, AreRejectedIfTheKernelIgnoresTheirNumbers) {
  if (detect_cpu().needs_half_range()) GTEST_SKIP() << "this CPU adds 8-bit products in 16 bits; full ranges saturate";
  const Model model = sequence_model();
  const Edits good = resolve(model, int8_plan(model), calibrated(model, {}));
  ASSERT_EQ(first_reason(model, good, {}), "");

  Edits other_scales = good;
  for (float& scale : other_scales.sequences[0].state_weights.scales) scale *= 2;
  EXPECT_THAT(first_reason(model, other_scales, {}), HasSubstr("rnn: its int8 kernel differs"));

  Edits scales_of_gates = good;
  for (std::size_t i = 0; i < kHidden; ++i)
    for (auto* weights : {&scales_of_gates.sequences[0].input_weights, &scales_of_gates.sequences[0].state_weights})
      weights->scales[i] *= 1.5f;
  EXPECT_THAT(first_reason(model, scales_of_gates, {}), HasSubstr("rnn: its int8 kernel differs"));
}

// A second sequence of the same size that reads four times the output of the first.
Model stacked_model() {
  const Model model = sequence_model({.direction = ov::op::RecurrentSequenceDirection::BIDIRECTIONAL});
  std::shared_ptr<ov::Node> first;
  for (const auto& node : model.graph->get_ordered_ops())
    if (node->get_friendly_name() == "rnn") first = node;
  const auto moved =
      std::make_shared<op::Transpose>(first->output(0), op::Constant::create(ov::element::i64, {4}, {0, 2, 1, 3}));
  const auto joined = std::make_shared<op::Reshape>(
      moved, op::Constant::create(ov::element::i64, {3}, {1, static_cast<int>(kSteps), static_cast<int>(2 * kHidden)}),
      false);
  const auto x = std::make_shared<op::MatMul>(joined, random_constant({2 * kHidden, kInputs}, 6), false, false);
  ov::OutputVector inputs = first->input_values();
  inputs[0] = x;
  inputs[4] = uneven_weights(first->get_input_shape(4), 7);
  inputs[5] = uneven_weights(first->get_input_shape(5), 8);
  const auto second = first->clone_with_new_inputs(inputs);
  second->set_friendly_name("second");
  x->set_friendly_name("between");
  return as_model({second->output(0)}, model.graph->get_parameters());
}

// The plug-in reuses the kernel of the first sequence, with its scales, for a second one of the same size.
TEST(Sequences, OfTheSameSizeHaveTheirOwnKernels) {
  const Model model = stacked_model();
  Plan plan = int8_plan(model);
  plan.recipes = {};
  const Edits edits = resolve(model, plan, calibrated(model, {}));
  ASSERT_EQ(edits.sequences.size(), 2u);
  EXPECT_EQ(edits.sequences[0].zero_inputs, 0u);
  EXPECT_GT(edits.sequences[1].zero_inputs, 0u);
  EXPECT_NE(edits.sequences[0].state_weights.scales, edits.sequences[1].state_weights.scales);
  EXPECT_EQ(first_reason(model, edits, {}), "");
  EXPECT_LT(largest_error(apply(model, edits), model, {}), detect_cpu().needs_half_range() ? 0.12 : 0.06);

  Edits same_size = edits;
  same_size.sequences[1].zero_inputs = 0;
  EXPECT_THAT(first_reason(model, same_size, {}), HasSubstr("second: its int8 kernel differs"));
}

// The plug-in splits it into two kernels without its name.
TEST(Sequences, WithTwoDirectionsOwnBothKernels) {
  const Model model = stacked_model();
  const auto owners = find_owners(model, int8_plan(model));
  std::vector<ExecutedOp> kernels(5);
  const std::string names[] = {"LSTMSequence_1", "LSTMSequence_2", "between", "LSTMSequence_8", "LSTMSequence_7"};
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].name = names[i];
    kernels[i].type = names[i] == "between" ? "FullyConnected" : "RNNSeq";
    kernels[i].time_ms = std::pow(2.0, static_cast<double>(i));
  }
  EXPECT_EQ(times_by_owner(kernels, owners),
            (std::map<std::string, double>{{"rnn", 3.0}, {"between", 4.0}, {"second", 24.0}}));
}

TEST(Sequences, InALoopStayInt8WhenSaved) {
  const SequenceOptions options{.cell = Cell::LinearGru};
  const Model model = sequence_model(options);
  const Model int8 = quantize(model, int8_plan(model, false), calibrated(model, options));
  const TempFolder folder;
  save_model(int8, folder / "model.xml");
  const Model loaded = load_model(folder / "model.xml");
  Model body;
  for (const auto& node : loaded.graph->get_ordered_ops())
    if (const auto loop = ov::as_type_ptr<op::TensorIterator>(node)) body.graph = loop->get_function();
  ASSERT_TRUE(body.graph);
  EXPECT_EQ(count_type(body, "Convert"), 1u) << "the weights of the state are integers";
  EXPECT_LT(largest_error(loaded, int8, options), 1e-6);
}

class SequencesInOnnx : public ExportOnnx {};

TEST_F(SequencesInOnnx, StayInFp32) {
  OnnxFile file;
  file.input("x", {7, 1, 5});
  file.output("y", {7, 1, 1, 6});
  file.constant("w", {1, 24, 5}, random_values(24 * 5, 1));
  file.constant("r", {1, 24, 6}, random_values(24 * 6, 2));
  auto& size = *file.node("LSTM", "rnn", {"x", "w", "r"}, "y").add_attribute();
  size.set_name("hidden_size");
  size.set_type(onnx::AttributeProto_AttributeType_INT);
  size.set_i(6);
  const Model model = load(file);
  const auto ops = searchable_ops(model);
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(ops[0].type, "LSTMSequence");
  Statistics statistics;
  statistics[ops[0].activation].add(random_tensor({1, 7, 5}, 3), -1);
  statistics[ops[0].second].add(random_tensor({1, 1, 7, 6}, 4), -1);
  const Edits edits = resolve(model, int8_plan(model), statistics);
  ASSERT_EQ(edits.sequences.size(), 1u);
  EXPECT_THAT(write(model, edits).nodes(), ElementsAre("LSTM rnn"));
  expect_same_outputs(model, {random_tensor({7, 1, 5}, 5)});
}

TEST(Sequences, SaturateWithFullRangeWeights) {
  const Model model = sequence_model();
  const Statistics statistics = calibrated(model, {});
  EXPECT_THAT(saturating_ops(model, int8_plan(model, false), statistics), ElementsAre("rnn"));
  EXPECT_THAT(saturating_ops(model, int8_plan(model, true), statistics), IsEmpty());
}

TEST(Sequences, HaveMoreExpectedNoiseWithFewerBits) {
  for (const Cell cell : {Cell::Lstm, Cell::LinearGru}) {
    const SequenceOptions options{.cell = cell};
    const Model model = sequence_model(options);
    const Statistics statistics = calibrated(model, options);
    Plan plan = int8_plan(model, false);
    const double full = expected_noise(model, plan, statistics).at("rnn");
    plan.ops.at("rnn").weight.bits = 7;
    EXPECT_GT(full, 0);
    EXPECT_GT(expected_noise(model, plan, statistics).at("rnn"), full);
  }
}

}  // namespace
}  // namespace lpot
