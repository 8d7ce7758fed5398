#include "lpot/model/fold.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

std::shared_ptr<ov::Node> batch_norm(const ov::Output<ov::Node>& input, std::size_t channels, const std::string& name) {
  return named(std::make_shared<op::BatchNormInference>(
                   input, random_constant({channels}, 21, 0.5f, 2.0f), random_constant({channels}, 22),
                   random_constant({channels}, 23), random_constant({channels}, 24, 0.5f, 2.0f), 1e-3),
               name);
}

std::shared_ptr<ov::Node> multiply(const ov::Output<ov::Node>& input, const ov::Shape& shape, unsigned seed = 31) {
  return named(std::make_shared<op::Multiply>(input, random_constant(shape, seed, 0.5f, 2.0f)), "scale");
}

std::shared_ptr<ov::Node> add(const ov::Output<ov::Node>& input, const ov::Shape& shape, unsigned seed = 32) {
  return named(std::make_shared<op::Add>(input, random_constant(shape, seed)), "bias");
}

// Folds a copy, checks that all outputs stay the same on random data, and returns the copy.
Model folded(const Model& model, const Shape& input) {
  Model result = model.clone();
  fold_constants_and_batch_norm(result.graph);
  const Tensor data = random_tensor(input, 41);
  const auto expected = run_plainly(model.graph, {data});
  const auto found = run_plainly(result.graph, {data});
  for (std::size_t output = 0; output < expected.size(); ++output) {
    EXPECT_EQ(found[output].size(), expected[output].size());
    for (std::size_t i = 0; i < expected[output].size(); ++i)
      EXPECT_NEAR(found[output][i], expected[output][i], 1e-4) << "output " << output << ", value " << i;
  }
  return result;
}

std::vector<std::string> types_of(const Model& model) {
  std::vector<std::string> types;
  for (const OpInfo& op : list_ops(model)) types.push_back(op.type);
  return types;
}

using Types = std::vector<std::string>;
const ov::PartialShape kImages{-1, 3, 6, 6};

TEST(Fold, TurnsConvolutionBiasAndBatchNormIntoConvolutionAndBias) {
  const auto x = parameter(kImages, "x");
  const Model model = as_model({batch_norm(add(conv3x3(x, 3, 4, "conv"), {1, 4, 1, 1}), 4, "norm")}, {x});
  const Model result = folded(model, {2, 3, 6, 6});
  EXPECT_EQ(types_of(result), (Types{"Convolution", "Add"}));
  EXPECT_EQ(list_ops(result)[0].name, "conv");
  EXPECT_EQ(list_ops(result)[1].name, "norm");
}

TEST(Fold, MultipliesBatchNormIntoEveryKindOfKernel) {
  const auto x = parameter({-1, 4, 6, 6}, "x");
  const ov::Strides one{1, 1};
  const ov::CoordinateDiff none{0, 0};
  const auto group =
      std::make_shared<op::GroupConvolution>(x, random_constant({2, 3, 2, 3, 3}, 1), one, none, none, one);
  const auto transposed =
      std::make_shared<op::ConvolutionBackpropData>(x, random_constant({4, 5, 3, 3}, 2), one, none, none, one);
  const auto transposed_group =
      std::make_shared<op::GroupConvolutionBackpropData>(x, random_constant({2, 2, 3, 3, 3}, 3), one, none, none, one);
  const Model model = as_model({batch_norm(group, 6, "group_norm"), batch_norm(transposed, 5, "transposed_norm"),
                                batch_norm(transposed_group, 6, "transposed_group_norm")},
                               {x});
  const Model result = folded(model, {2, 4, 6, 6});
  EXPECT_EQ(count_type(result, "Multiply"), 0u);
  EXPECT_EQ(count_type(result, "Add"), 3u);
}

TEST(Fold, MultipliesAScaleIntoAMatMulWithEitherWeightLayout) {
  const auto x = parameter({-1, 7, 5}, "x");
  const auto plain = multiply(add(product(x, 5, 4, "plain"), {4}), {4});
  const auto weights_turned = std::make_shared<op::MatMul>(x, random_constant({4, 5}, 2), false, true);
  const Model result = folded(as_model({plain, multiply(weights_turned, {1, 1, 4})}, {x}), {2, 7, 5});
  EXPECT_EQ(count_type(result, "Multiply"), 0u);
}

TEST(Fold, FoldsABatchNormOfTheOldVersion) {
  const auto x = parameter(kImages, "x");
  const auto norm = std::make_shared<ov::op::v0::BatchNormInference>(
      conv3x3(x, 3, 4, "conv"), random_constant({4}, 1, 0.5f, 2.0f), random_constant({4}, 2), random_constant({4}, 3),
      random_constant({4}, 4, 0.5f, 2.0f), 1e-3);
  EXPECT_EQ(types_of(folded(as_model({norm}, {x}), {2, 3, 6, 6})), (Types{"Convolution", "Add"}));
}

TEST(Fold, FoldsAChainOfConstantSteps) {
  const auto x = parameter(kImages, "x");
  const auto centred = std::make_shared<op::Subtract>(conv3x3(x, 3, 4, "conv"), random_constant({1, 4, 1, 1}, 2));
  const auto divided = std::make_shared<op::Divide>(centred, random_constant({1, 4, 1, 1}, 3, 0.5f, 2.0f));
  const auto model = as_model({add(multiply(multiply(divided, {1, 4, 1, 1}), {}), {1, 4, 1, 1})}, {x});
  EXPECT_EQ(types_of(folded(model, {2, 3, 6, 6})), (Types{"Convolution", "Add"}));
}

TEST(Fold, ReplacesABatchNormAfterAReluWithScaleAndShift) {
  const auto x = parameter(kImages, "x");
  const auto relu = std::make_shared<op::Relu>(conv3x3(x, 3, 4, "conv"));
  const Model result = folded(as_model({batch_norm(relu, 4, "norm")}, {x}), {2, 3, 6, 6});
  EXPECT_EQ(types_of(result), (Types{"Convolution", "Relu", "Multiply", "Add"}));
}

TEST(Fold, DoesNotChangeAConvolutionWithTwoConsumers) {
  const auto x = parameter(kImages, "x");
  const auto conv = conv3x3(x, 3, 4, "conv");
  const Model model = as_model({batch_norm(conv, 4, "norm"), std::make_shared<op::Relu>(conv)}, {x});
  EXPECT_EQ(count_type(folded(model, {2, 3, 6, 6}), "Multiply"), 1u);
}

TEST(Fold, DoesNotChangeABiasWithTwoConsumers) {
  const auto x = parameter(kImages, "x");
  const auto bias = add(conv3x3(x, 3, 4, "conv"), {1, 4, 1, 1});
  const Model model = as_model({batch_norm(bias, 4, "norm"), std::make_shared<op::Relu>(bias)}, {x});
  EXPECT_EQ(count_type(folded(model, {2, 3, 6, 6}), "Multiply"), 1u);
}

TEST(Fold, ScalesOnlyOneOfTwoKernelsThatShareTheirWeights) {
  const auto x = parameter(kImages, "x");
  const auto weights = random_constant({4, 3, 1, 1}, 5);
  const ov::Strides one{1, 1};
  const ov::CoordinateDiff none{0, 0};
  const auto first = std::make_shared<op::Convolution>(x, weights, one, none, none, one);
  const auto second = std::make_shared<op::Convolution>(x, weights, one, none, none, one);
  EXPECT_EQ(count_type(folded(as_model({batch_norm(first, 4, "norm"), second}, {x}), {2, 3, 6, 6}), "Multiply"), 0u);
}

// Shapes of a factor with one value per channel that varies along another dimension.
class NoFold : public ::testing::TestWithParam<ov::Shape> {};

TEST_P(NoFold, OfAFactorThatVariesAlongAnotherDimension) {
  const auto x = parameter({-1, 3, 4, 4}, "x");
  const Model model = as_model({multiply(conv3x3(x, 3, 4, "conv"), GetParam())}, {x});
  EXPECT_EQ(count_type(folded(model, {4, 3, 4, 4}), "Multiply"), 1u);
}

INSTANTIATE_TEST_SUITE_P(Shapes, NoFold,
                         ::testing::Values(ov::Shape{4}, ov::Shape{4, 1}, ov::Shape{1, 4, 4, 1}, ov::Shape{4, 1, 1, 1},
                                           ov::Shape{1, 1, 4, 1, 1}));

TEST(Fold, AppliesOneFactorToAllChannels) {
  const auto x = parameter(kImages, "x");
  const Model model = as_model({multiply(conv3x3(x, 3, 4, "conv"), {1})}, {x});
  EXPECT_EQ(types_of(folded(model, {2, 3, 6, 6})), (Types{"Convolution"}));
}

TEST(Fold, DoesNotChangeAOneChannelKernelThatAFactorBroadcasts) {
  const auto x = parameter(kImages, "x");
  const Model model = as_model({multiply(conv3x3(x, 3, 1, "conv"), {1, 5, 1, 1})}, {x});
  EXPECT_EQ(count_type(folded(model, {2, 3, 6, 6}), "Multiply"), 1u);
}

TEST(Fold, AddsUpTwoBiasesOfDifferentShapes) {
  const auto x = parameter(kImages, "x");
  const Model model = as_model({add(add(conv3x3(x, 3, 4, "conv"), {1, 4, 1, 1}), {4, 1, 1}, 5)}, {x});
  EXPECT_EQ(types_of(folded(model, {2, 3, 6, 6})), (Types{"Convolution", "Add"}));
}

TEST(Fold, KeepsABiasBeforeAPositionEmbedding) {
  const auto x = parameter(kImages, "x");
  const Model model = as_model({add(add(conv3x3(x, 3, 4, "conv"), {1, 4, 1, 1}), {1, 4, 6, 6}, 5)}, {x});
  EXPECT_EQ(types_of(folded(model, {2, 3, 6, 6})), (Types{"Convolution", "Add", "Add"}));
  const Model reversed = as_model({add(add(conv3x3(x, 3, 4, "conv"), {1, 4, 6, 6}), {1, 4, 1, 1}, 5)}, {x});
  EXPECT_EQ(types_of(folded(reversed, {2, 3, 6, 6})), (Types{"Convolution", "Add"}));
}

TEST(Fold, KeepsADivisionThatFollowsNoKernel) {
  const auto x = parameter({-1, 4}, "x");
  const Model model = as_model({std::make_shared<op::Divide>(x, constant({1}, {3}))}, {x});
  EXPECT_EQ(types_of(folded(model, {2, 4})), (Types{"Divide"}));
}

// A loop over rows that multiplies a state by int8 weights.
TEST(Fold, KeepsQuantizedConstantsInLoops) {
  const auto x = parameter({1, 5, 4}, "x");
  const auto row = std::make_shared<op::Parameter>(ov::element::f32, ov::Shape{1, 1, 4});
  const auto state = std::make_shared<op::Parameter>(ov::element::f32, ov::Shape{1, 1, 4});
  const auto integers = op::Constant::create(ov::element::i8, {4, 4}, std::vector<int>(16, 3));
  const auto weights = std::make_shared<op::Multiply>(std::make_shared<op::Convert>(integers, ov::element::f32),
                                                      constant({4, 1}, {0.01f, 0.02f, 0.03f, 0.04f}));
  const auto next = std::make_shared<op::Add>(row, std::make_shared<op::MatMul>(state, weights, false, true));
  const auto loop = std::make_shared<op::TensorIterator>();
  loop->set_function(std::make_shared<ov::Model>(ov::OutputVector{next}, ov::ParameterVector{row, state}));
  loop->set_sliced_input(row, x, 0, 1, 1, -1, 1);
  loop->set_merged_input(state, random_constant({1, 1, 4}, 1), next);
  const Model model = as_model({loop->get_iter_value(next, -1)}, {x});
  const Model result = folded(model, {1, 5, 4});
  Model body;
  for (const auto& node : result.graph->get_ordered_ops())
    if (const auto found = ov::as_type_ptr<op::TensorIterator>(node)) body.graph = found->get_function();
  EXPECT_EQ(count_type(body, "Convert"), 1u);
}

TEST(Fold, KeepsAHalfPrecisionGraphValid) {
  const auto x = parameter(kImages, "x", ov::element::f16);
  const auto half = [](const ov::Shape& shape, float low) {
    return constant(shape, random_values(ov::shape_size(shape), 1, low, 1.0f), ov::element::f16);
  };
  const auto conv =
      std::make_shared<op::Convolution>(x, half({4, 3, 3, 3}, -1), ov::Strides{1, 1}, ov::CoordinateDiff{1, 1},
                                        ov::CoordinateDiff{1, 1}, ov::Strides{1, 1});
  const auto norm = std::make_shared<op::BatchNormInference>(conv, half({4}, 0.5f), half({4}, 0), half({4}, 0),
                                                             half({4}, 0.5f), 1e-3);
  const Model model = as_model({std::make_shared<op::Multiply>(norm, half({1, 4, 1, 1}, 0.5f))}, {x});
  EXPECT_NO_THROW(fold_constants_and_batch_norm(model.graph));
  EXPECT_EQ(model.graph->output(0).get_element_type(), ov::element::f16);
}

}  // namespace
}  // namespace lpot
