// Cross-layer equalization: which pairs are found, that it is exact in fp32, and that it reduces the int8 error.
#include "lpot/quantize/recipes/cross_layer_equalization.h"

#include <algorithm>
#include <cmath>

#include "lpot/quantize/graph/channel_pairs.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/quantize.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/writers/onnx.h"
#include "lpot/quantize/writers/openvino.h"
#include "tests/quantize/writers/export_onnx.h"
#include "tests/support/attention.h"
#include "tests/support/memory_data.h"
#include "tests/support/output_error.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> pairs_of(const Model& model) {
  std::vector<std::string> names;
  for (const ChannelPair& pair : channel_pairs(model)) names.push_back(pair.first + " " + pair.second);
  return names;
}

std::shared_ptr<ov::Node> biased(const std::shared_ptr<ov::Node>& node, std::size_t channels, unsigned seed) {
  return named(std::make_shared<op::Add>(
                   node, named(random_constant({1, channels, 1, 1}, seed), node->get_friendly_name() + "/bias")),
               node->get_friendly_name() + "/add");
}

std::shared_ptr<ov::Node> relu(const std::shared_ptr<ov::Node>& node) {
  return named(std::make_shared<op::Relu>(node), node->get_friendly_name() + "/relu");
}

// Random values whose channels differ by up to a factor of `spread`.
std::shared_ptr<op::Constant> uneven(const ov::Shape& shape, unsigned seed, float spread) {
  std::vector<float> values = random_values(ov::shape_size(shape), seed);
  const std::size_t each = values.size() / shape[0];
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] *= std::pow(spread, static_cast<float>(i / each % 5) / 4.0f);
  return constant(shape, values);
}

std::shared_ptr<ov::Node> depthwise(const ov::Output<ov::Node>& input, std::size_t channels, float spread) {
  return named(
      std::make_shared<op::GroupConvolution>(input, uneven({channels, 1, 1, 3, 3}, 8, spread), ov::Strides{1, 1},
                                             ov::CoordinateDiff{1, 1}, ov::CoordinateDiff{1, 1}, ov::Strides{1, 1}),
      "depthwise");
}

std::shared_ptr<ov::Node> pointwise(const ov::Output<ov::Node>& input, const std::shared_ptr<op::Constant>& weights,
                                    const std::string& name) {
  return named(std::make_shared<op::Convolution>(input, weights, ov::Strides{1, 1}, ov::CoordinateDiff{0, 0},
                                                 ov::CoordinateDiff{0, 0}, ov::Strides{1, 1}),
               name);
}

// Weights of the reader that compensate for the different channel magnitudes, as training would leave them.
std::shared_ptr<op::Constant> compensating(const ov::Shape& shape, unsigned seed, float spread) {
  std::vector<float> values = random_values(ov::shape_size(shape), seed);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] /= std::pow(spread, static_cast<float>(i % shape[1] % 5) / 4.0f);
  return constant(shape, values);
}

// A separable block as in mobile networks: 1x1, depthwise, 1x1, mean over the image, product.
Model separable(float spread) {
  const auto x = parameter({1, 3, 8, 8}, "x");
  const auto first = relu(biased(pointwise(x, uneven({10, 3, 1, 1}, 1, spread), "first"), 10, 11));
  const auto middle = relu(biased(depthwise(first, 10, spread), 10, 12));
  const auto last = relu(biased(pointwise(middle, compensating({10, 10, 1, 1}, 3, spread * spread), "last"), 10, 13));
  const auto mean = std::make_shared<op::ReduceMean>(last, op::Constant::create(ov::element::i64, {2}, {2, 3}), false);
  return as_model({product(mean, 10, 6, "head", 5)}, {x});
}

Recipes with_equalization() {
  Recipes recipes;
  recipes.set("cross_layer_equalization", true);
  return recipes;
}

Plan all_int8(const Model& model, const Recipes& recipes) {
  Plan plan;
  plan.recipes = recipes;
  for (const QuantizableOp& op : quantizable_ops(model))
    plan.ops[op.name] = {Precision::Int8,
                         {Algorithm::MinMax, Granularity::PerTensor, Symmetry::Asymmetric, 8},
                         {Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 7}};
  return plan;
}

Model int8_of(const Model& model, const Recipes& recipes) {
  std::vector<Tensor> inputs;
  for (unsigned i = 0; i < 8; ++i) inputs.push_back(random_tensor({3, 8, 8}, 50 + i));
  const Statistics statistics =
      observe(rescaled(model, recipes), observation_points(model), loader_of(unlabelled(inputs)), {}).snapshots.back();
  return quantize(model, all_int8(model, recipes), statistics);
}

TEST(ChannelPairs, AreFoundThroughBiasReluAndMeans) {
  EXPECT_THAT(pairs_of(separable(1)), ElementsAre("first depthwise", "depthwise last", "last head"));
  EXPECT_EQ(channel_pairs(separable(1))[0].bias, "first/bias");
}

// OpenVINO fuses the transpose with the product when it sets shapes, and only then the product can run in int8.
TEST(ChannelPairs, HaveOnlyKernelsThatAreQuantizableInTheModel) {
  const auto x = parameter({-1, 6}, "x");
  const auto turned = std::make_shared<op::Transpose>(x, op::Constant::create(ov::element::i64, {2}, {1, 0}));
  const auto first = named(std::make_shared<op::MatMul>(turned, random_constant({6, 8}, 1), true, false), "first");
  const Model model = as_model({product(first, 8, 4, "second", 2)}, {x});
  ASSERT_EQ(quantizable_ops(model).size(), 1u);
  EXPECT_THAT(pairs_of(model), IsEmpty());
}

TEST(ChannelPairs, AreFoundThroughPoolingTransposesAndReshapes) {
  const auto x = parameter({1, 3, 8, 8}, "x");
  const auto pooled = [&] {
    return std::make_shared<op::MaxPool>(relu(conv3x3(x, 3, 6, "a")), ov::Strides{8, 8}, ov::Strides{1, 1},
                                         ov::Shape{0, 0}, ov::Shape{0, 0}, ov::Shape{8, 8})
        ->output(0);
  };
  const auto integers = [](const std::vector<std::int64_t>& values) {
    return op::Constant::create(ov::element::i64, {values.size()}, values);
  };
  const auto turned = std::make_shared<op::Transpose>(pooled(), integers({0, 2, 3, 1}));
  const auto flat = std::make_shared<op::Reshape>(turned, integers({1, 6}), false);
  EXPECT_THAT(pairs_of(as_model({product(flat, 6, 2, "b")}, {x})), ElementsAre("a b"));
  const auto squeezed = std::make_shared<op::Squeeze>(pooled(), integers({2, 3}));
  EXPECT_THAT(pairs_of(as_model({product(squeezed, 6, 2, "b")}, {x})), ElementsAre("a b"));
}

TEST(ChannelPairs, ExcludeOpsThatDoNotPreserveAFactor) {
  const auto x = parameter({1, 3, 8, 8}, "x");
  const auto a = [&] { return conv3x3(x, 3, 4, "a"); };
  const auto b = [&](const ov::Output<ov::Node>& input) { return conv3x3(input, 4, 4, "b", 2); };
  EXPECT_THAT(pairs_of(as_model({b(a())}, {x})), ElementsAre("a b")) << "otherwise the cases below prove nothing";
  EXPECT_THAT(pairs_of(as_model({b(std::make_shared<op::Clamp>(a(), 0, 6))}, {x})), IsEmpty()) << "ReLU6";
  EXPECT_THAT(pairs_of(as_model({b(std::make_shared<op::Sigmoid>(a()))}, {x})), IsEmpty());
  EXPECT_THAT(pairs_of(as_model({b(std::make_shared<op::Add>(a(), random_constant({1, 1, 1, 1}, 3)))}, {x})), IsEmpty())
      << "a bias shared by all channels cannot be divided per channel";
  const auto read_twice = relu(a());
  EXPECT_THAT(pairs_of(as_model({b(read_twice), std::make_shared<op::Sigmoid>(read_twice)}, {x})), IsEmpty());
  const auto flat = std::make_shared<op::Reshape>(a(), op::Constant::create(ov::element::i64, {2}, {1, 256}), false);
  EXPECT_THAT(pairs_of(as_model({product(flat, 256, 2, "c")}, {x})), IsEmpty())
      << "the reshape mixes positions and channels";
}

TEST(ChannelPairs, ExcludeSharedWeights) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto weights = random_constant({4, 4, 1, 1}, 1);
  EXPECT_THAT(pairs_of(as_model({pointwise(pointwise(x, weights, "a"), weights, "b")}, {x})), IsEmpty());
}

TEST(CrossLayerEqualization, IsExactInFp32) {
  for (const float spread : {1.0f, 30.0f}) {
    const Model model = separable(spread);
    for (unsigned seed = 1; seed < 4; ++seed)
      EXPECT_LT(output_error(rescaled(model, with_equalization()), model, random_tensor({1, 3, 8, 8}, seed)), 1e-5)
          << spread;
  }
}

TEST(CrossLayerEqualization, MakesTheLargestWeightsOfBothKernelsEqual) {
  const auto x = parameter({1, 3, 8, 8}, "x");
  const auto a = pointwise(x, named(uneven({4, 3, 1, 1}, 1, 50), "a/weights"), "a");
  const auto b = pointwise(relu(a), named(random_constant({2, 4, 1, 1}, 2), "b/weights"), "b");
  const auto edits = equalize_layers(as_model({b}, {x}));
  ASSERT_EQ(edits.size(), 2u);
  for (std::size_t channel = 0; channel < 4; ++channel) {
    float made = 0, read = 0;
    for (std::size_t i = 0; i < 3; ++i) made = std::max(made, std::fabs(edits[0].values[channel * 3 + i]));
    for (std::size_t i = 0; i < 2; ++i) read = std::max(read, std::fabs(edits[1].values[i * 4 + channel]));
    EXPECT_NEAR(made / read, 1.0f, 1e-4f);
  }
}

TEST(CrossLayerEqualization, ReducesTheErrorOfAnUnevenSeparableNetworkManyTimes) {
  const Model model = separable(30);
  const Model plain = int8_of(model, {}), equalized = int8_of(model, with_equalization());
  double without = 0, with = 0;
  for (unsigned seed = 1; seed < 9; ++seed) {
    const Tensor input = random_tensor({1, 3, 8, 8}, seed);
    without += output_error(plain, model, input);
    with += output_error(equalized, model, input);
  }
  EXPECT_LT(3 * with, without);
}

TEST(CrossLayerEqualization, ChangesOpsThatStayInFp32) {
  const Model model = separable(30);
  Plan plan = all_int8(model, with_equalization());
  for (auto& [name, op] : plan.ops) op = OpPlan{};
  const Edits edits = resolve(model, plan, {});
  EXPECT_FALSE(edits.constants.empty());
  EXPECT_LT(output_error(apply(model, edits), model, random_tensor({1, 3, 8, 8}, 1)), 1e-5);
}

class EqualizedOnnx : public ExportOnnx {};

TEST_F(EqualizedOnnx, ComputesTheSameOutputs) {
  OnnxFile file;
  file.input("x", {1, 3, 6, 6});
  file.output("y", {1, 4, 2, 2});
  file.constant("w1", {4, 3, 3, 3}, random_values(108, 1));
  file.constant("b1", {4}, ramp(4, -0.5f, 0.3f));
  file.node("Conv", "conv1", {"x", "w1", "b1"}, "c1");
  file.node("Relu", "relu", {"c1"}, "r1");
  file.constant("w2", {4, 4, 3, 3}, random_values(144, 2, -20, 20));
  file.node("Conv", "conv2", {"r1", "w2"}, "c2");
  file.node("Relu", "last", {"c2"}, "y");
  const Model model = load(file);
  ASSERT_THAT(pairs_of(model), ElementsAre("conv1 conv2"));
  const Statistics statistics = observe(rescaled(model, with_equalization()), observation_points(model),
                                        loader_of(unlabelled({random_tensor({3, 6, 6}, 3)})), {})
                                    .snapshots.back();
  const Tensor input = random_tensor({1, 3, 6, 6}, 3);
  for (const bool first_in_int8 : {true, false}) {
    Plan plan = all_int8(model, with_equalization());
    if (!first_in_int8) plan.ops.at("conv1") = OpPlan{};
    const Edits edits = resolve(model, plan, statistics);
    write(model, edits);
    EXPECT_LT(output_error(load_model(folder_ / "int8.onnx"), apply(model, edits), input), 1e-3);
    EXPECT_LT(output_error(load_model(folder_ / "int8.onnx"), model, input), 0.05);
  }
}

}  // namespace
}  // namespace lpot
