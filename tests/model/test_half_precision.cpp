#include "lpot/model/half_precision.h"

#include <gmock/gmock.h>

#include "lpot/model/load.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

std::shared_ptr<ov::Node> half_constant(const ov::Shape& shape, unsigned seed) {
  return op::Constant::create(ov::element::f16, shape, random_values(ov::shape_size(shape), seed));
}

std::shared_ptr<ov::Node> half_convolution(const ov::Output<ov::Node>& x, const std::string& name, unsigned seed) {
  return named(std::make_shared<op::Convolution>(x, half_constant({4, 4, 3, 3}, seed), ov::Strides{1, 1},
                                                 ov::CoordinateDiff{1, 1}, ov::CoordinateDiff{1, 1}, ov::Strides{1, 1}),
               name);
}

// x f16 -> convolution -> f32 -> * 2 -> f16 -> convolution -> y f16
Model half_model() {
  const auto x = parameter({1, 4, 6, 6}, "x", ov::element::f16);
  const auto in_single = std::make_shared<op::Convert>(half_convolution(x, "first", 1), ov::element::f32);
  const auto scaled = std::make_shared<op::Multiply>(in_single, constant({1}, {2.0f}));
  const auto y = half_convolution(std::make_shared<op::Convert>(scaled, ov::element::f16), "second", 2);
  y->output(0).set_names({"y"});
  return as_model({y}, {x});
}

// The outputs of OpenVINO for random values, as floats.
std::vector<float> outputs_of(const Model& model) {
  ov::Core core;
  auto request =
      core.compile_model(model.graph, "CPU", ov::hint::inference_precision(ov::element::f32)).create_infer_request();
  ov::Tensor input = request.get_input_tensor();
  const std::vector<float> values = random_values(input.get_size(), 3);
  const bool is_half = input.get_element_type() == ov::element::f16;
  if (is_half) std::copy(values.begin(), values.end(), input.data<ov::float16>());
  if (!is_half) std::copy(values.begin(), values.end(), input.data<float>());
  request.infer();
  const ov::Tensor output = request.get_output_tensor();
  const auto read = [&](const auto* data) { return std::vector<float>(data, data + output.get_size()); };
  return output.get_element_type() == ov::element::f16 ? read(output.data<ov::float16>()) : read(output.data<float>());
}

void expect_same_values(const Model& a, const Model& b) {
  EXPECT_THAT(outputs_of(a), testing::Pointwise(testing::FloatNear(0.02f), outputs_of(b)));
}

TEST(InSinglePrecision, ComputesInSinglePrecisionWithTheSameInputsAndOutputs) {
  const Model half = half_model();
  Model single = half;
  single.graph = in_single_precision(half.graph);
  EXPECT_EQ(single.graph->input("x").get_element_type(), ov::element::f16);
  EXPECT_EQ(single.graph->output("y").get_element_type(), ov::element::f16);
  EXPECT_EQ(count_type(single, "Convert"), 2u);  // of the input and of the output
  EXPECT_EQ(half.graph->get_results()[0]->get_input_node_ptr(0)->get_friendly_name(), "second") << "the source changed";
  for (const auto& node : single.graph->get_ordered_ops())
    if (node->get_type_name() == std::string("Convolution")) {
      EXPECT_EQ(node->get_output_element_type(0), ov::element::f32) << node->get_friendly_name();
    }
  expect_same_values(single, half);
}

TEST(InSinglePrecision, LoadedModelsComputeInSinglePrecision) {
  const TempFolder folder;
  ov::save_model(half_model().graph, folder / "half.xml", false);
  const Model model = load_model(folder / "half.xml");
  EXPECT_TRUE(computes_in_half(*half_model().graph));
  EXPECT_EQ(count_type(model, "Convolution"), 2u);
  for (const auto& node : model.graph->get_ordered_ops())
    if (node->get_type_name() == std::string("Convolution")) {
      EXPECT_EQ(node->get_input_element_type(1), ov::element::f32) << node->get_friendly_name();
    }
}

TEST(InSinglePrecision, ChangesTheBodiesOfControlFlow) {
  const auto x = parameter({1, 4, 6, 6}, "x");
  const auto half = std::make_shared<op::Convert>(x, ov::element::f16);
  const auto body = [](unsigned seed) {
    const auto in = std::make_shared<op::Parameter>(ov::element::f16, ov::PartialShape{1, 4, 6, 6});
    const auto result = std::make_shared<op::Result>(half_convolution(in, "inner", seed));
    return std::make_shared<ov::Model>(ov::ResultVector{result}, ov::ParameterVector{in});
  };
  const auto then_body = body(1), else_body = body(2);
  const auto corner = std::make_shared<op::ReduceMax>(x, op::Constant::create(ov::element::i64, {4}, {0, 1, 2, 3}));
  const auto choice = std::make_shared<op::If>(std::make_shared<op::Greater>(corner, constant({}, {0.0f})));
  choice->set_then_body(then_body);
  choice->set_else_body(else_body);
  choice->set_input(half, then_body->get_parameters()[0], else_body->get_parameters()[0]);
  const auto y = choice->set_output(then_body->get_results()[0], else_body->get_results()[0]);
  const Model model = as_model({std::make_shared<op::Convert>(y, ov::element::f32)}, {x});
  Model single = model;
  single.graph = in_single_precision(model.graph);
  EXPECT_FALSE(computes_in_half(*single.graph));
  expect_same_values(single, model);
}

TEST(InSinglePrecision, DoesNotChangeModelsThatOnlyStoreWeightsIn16Bits) {
  const auto x = parameter({1, 4, 6, 6}, "x");
  const auto weights = std::make_shared<op::Convert>(half_constant({4, 4, 3, 3}, 1), ov::element::f32);
  const auto y = std::make_shared<op::Convolution>(x, weights, ov::Strides{1, 1}, ov::CoordinateDiff{1, 1},
                                                   ov::CoordinateDiff{1, 1}, ov::Strides{1, 1});
  const Model model = as_model({y}, {x});
  EXPECT_FALSE(computes_in_half(*model.graph));
  EXPECT_EQ(in_single_precision(model.graph), model.graph);
}

TEST(InSinglePrecision, ChangesTheTypeOfIdentityMatrices) {
  const auto x = parameter({1, 4}, "x", ov::element::f16);
  const auto integer = [](std::int64_t value) { return op::Constant::create(ov::element::i64, {}, {value}); };
  const auto eye = std::make_shared<ov::op::v9::Eye>(integer(4), integer(4), integer(0), ov::element::f16);
  const auto sum = std::make_shared<op::Add>(eye, half_constant({4, 4}, 1));
  const Model half = as_model({std::make_shared<op::MatMul>(x, sum)}, {x});
  EXPECT_EQ(single_precision_error(*half.graph), "");
  EXPECT_FALSE(in_single_precision(half.graph) == half.graph);
}

// The variable of a state has its own type.
TEST(InSinglePrecision, ReportsWhyAGraphStaysInHalfPrecision) {
  const auto x = parameter({1, 4}, "x", ov::element::f16);
  const auto variable = std::make_shared<ov::op::util::Variable>(
      ov::op::util::VariableInfo{ov::PartialShape{1, 4}, ov::element::f16, "state"});
  const auto state = std::make_shared<op::ReadValue>(half_constant({1, 4}, 1), variable);
  const auto sum = std::make_shared<op::Add>(x, state);
  const auto assign = std::make_shared<op::Assign>(sum, variable);
  const auto graph = std::make_shared<ov::Model>(ov::OutputVector{sum}, ov::SinkVector{assign}, ov::ParameterVector{x});
  EXPECT_EQ(in_single_precision(graph), graph);
  EXPECT_THAT(single_precision_error(*graph), testing::Not(testing::IsEmpty()));
}

}  // namespace
}  // namespace lpot
