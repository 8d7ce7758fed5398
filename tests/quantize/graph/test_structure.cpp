// Structures of real networks, each as a small graph: integers flow from one int8 kernel to the next. Checks the
// executed kernels: which run in int8, and where a separate kernel quantizes.
#include <gmock/gmock.h>

#include <cmath>

#include "lpot/quantize/graph/level_groups.h"
#include "tests/quantize/graph/quantized_graph.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

using Layer = std::shared_ptr<ov::Node>;
using Tensor4 = ov::Output<ov::Node>;
constexpr std::size_t kFeatures = 16;

std::shared_ptr<op::Constant> integers(const std::vector<std::int64_t>& values) {
  return op::Constant::create(ov::element::i64, {values.size()}, values);
}

// Weights that keep the power of the values, as in trained networks, so that ranges are similar.
std::shared_ptr<op::Constant> weights(const ov::Shape& shape, std::size_t inputs, unsigned seed) {
  const float bound = std::sqrt(6.0f / static_cast<float>(inputs));
  return random_constant(shape, seed, -bound, bound);
}

Layer conv(const Tensor4& x, const ov::Shape& shape, const std::string& name, unsigned seed) {
  const auto pad = static_cast<std::ptrdiff_t>(shape[2] / 2);
  return named(
      std::make_shared<op::Convolution>(x, weights(shape, shape[1] * shape[2] * shape[3], seed), ov::Strides{1, 1},
                                        ov::CoordinateDiff{pad, pad}, ov::CoordinateDiff{pad, pad}, ov::Strides{1, 1}),
      name);
}

Layer conv1x1(const Tensor4& x, std::size_t in, std::size_t out, const std::string& name, unsigned seed) {
  return conv(x, {out, in, 1, 1}, name, seed);
}

Layer relu(const Tensor4& x) { return std::make_shared<op::Relu>(x); }
Layer conv(const Tensor4& x, const std::string& name, unsigned seed) {
  return conv(x, {kFeatures, kFeatures, 3, 3}, name, seed);
}

// The first convolution and its ReLU.
Layer stem(const std::shared_ptr<op::Parameter>& x) { return relu(conv(x, {kFeatures, 4, 3, 3}, "a", 1)); }
std::shared_ptr<op::Parameter> image() { return parameter({1, 4, 8, 8}, "x"); }

Layer upsampled(const Tensor4& tensor) {
  using Resize = op::Interpolate;
  Resize::InterpolateAttrs attributes;
  attributes.mode = Resize::InterpolateMode::NEAREST;
  attributes.shape_calculation_mode = Resize::ShapeCalcMode::SIZES;
  attributes.coordinate_transformation_mode = Resize::CoordinateTransformMode::ASYMMETRIC;
  attributes.nearest_mode = Resize::NearestMode::FLOOR;
  return std::make_shared<Resize>(tensor, integers({8, 8}), constant({2}, {2, 2}), integers({2, 3}), attributes);
}

Layer pooled(const Tensor4& tensor) {
  return std::make_shared<ov::op::v8::MaxPool>(tensor, ov::Strides{2, 2}, ov::Strides{1, 1}, ov::Shape{0, 0},
                                               ov::Shape{0, 0}, ov::Shape{2, 2});
}

Layer upconvolved(const Tensor4& tensor, const std::string& name, unsigned seed) {
  return named(std::make_shared<op::ConvolutionBackpropData>(
                   tensor, weights({kFeatures, kFeatures, 2, 2}, kFeatures, seed), ov::Strides{2, 2},
                   ov::CoordinateDiff{0, 0}, ov::CoordinateDiff{0, 0}, ov::Strides{1, 1}),
               name);
}

// Kernels that do nothing but quantize, or compute something in fp32 and quantize it. Without that of the input.
std::vector<std::string> separate_quantizers(const Quantized& model) {
  std::vector<std::string> names;
  const Executable executable(model.int8);
  for (const ExecutedOp& kernel : executable.executed_ops())
    for (const std::string& source : kernel.source_names)
      if ((kernel.type == "Subgraph" || kernel.type == "FakeQuantize") &&
          source.find("/quantize") != std::string::npos && source != "x/quantize")
        names.push_back(source);
  return names;
}

void expect_all_kernels_in_int8(const Quantized& model) {
  const Executable executable(model.int8);
  for (const ExecutedOp& kernel : executable.executed_ops())
    if (kernel.type == "Convolution" || kernel.type == "Deconvolution") {
      EXPECT_TRUE(kernel.is_int8()) << kernel.name << " runs as " << kernel.kernel;
    }
}

// Half of the channels bypass the convolutions, and a shuffle mixes both halves (ShuffleNet v2).
Model shuffled_units() {
  const auto x = image();
  Layer block = stem(x);
  for (unsigned unit = 0; unit < 2; ++unit) {
    const std::string name = "unit" + std::to_string(unit);
    const auto halves = std::make_shared<op::Split>(block, op::Constant::create(ov::element::i64, {}, {1}), 2);
    const auto changed =
        relu(conv1x1(relu(conv1x1(halves->output(1), 8, 8, name + "a", unit + 3)), 8, 8, name + "b", unit + 5));
    const auto joined = std::make_shared<op::Concat>(ov::OutputVector{halves->output(0), changed}, 1);
    const auto parts = std::make_shared<op::Reshape>(joined, integers({1, 2, 8, 8, 8}), false);
    const auto mixed = std::make_shared<op::Transpose>(parts, integers({0, 2, 1, 3, 4}));
    block = std::make_shared<op::Reshape>(mixed, integers({1, 16, 8, 8}), false);
  }
  return as_model({conv(block, "last", 9)}, {x});
}

TEST(Structure, SplitsConcatenationsAndShufflesMoveIntegers) {
  const Quantized units(shuffled_units());
  expect_all_kernels_in_int8(units);
  EXPECT_THAT(units.precisions_of("Split"), AllOf(SizeIs(2), Each("u8")));
  EXPECT_THAT(units.precisions_of("Concatenation"), AllOf(SizeIs(2), Each("u8")));
  EXPECT_THAT(units.precisions_of("ShuffleChannels"), Each("u8"));
  EXPECT_THAT(separate_quantizers(units), IsEmpty());
  EXPECT_LT(units.error(), 0.05);
}

// The parts of a split are read by convolutions and by a concatenation (YOLO, CSP networks).
TEST(Structure, PartsThatSeveralOpsReadShareAQuantizer) {
  const auto x = image();
  const auto halves = std::make_shared<op::Split>(relu(conv1x1(stem(x), 16, 16, "wide", 2)),
                                                  op::Constant::create(ov::element::i64, {}, {1}), 2);
  const auto first = relu(conv(halves->output(1), {8, 8, 3, 3}, "first", 3));
  const auto second = relu(conv(first, {8, 8, 3, 3}, "second", 4));
  const auto joined =
      std::make_shared<op::Concat>(ov::OutputVector{halves->output(0), halves->output(1), first, second}, 1);
  const Quantized csp(as_model({conv1x1(joined, 32, 8, "last", 5)}, {x}));
  expect_all_kernels_in_int8(csp);
  EXPECT_THAT(csp.precisions_of("Split"), Each("u8"));
  EXPECT_THAT(csp.precisions_of("Concatenation"), Each("u8"));
  EXPECT_THAT(separate_quantizers(csp), IsEmpty());
  EXPECT_LT(csp.error(), 0.05);
}

// A part that an fp32 op reads must be written as floats, so quantizers stay at their readers.
TEST(Structure, QuantizersStayAfterASplitWithAnFp32Reader) {
  const auto x = image();
  const auto halves = std::make_shared<op::Split>(stem(x), op::Constant::create(ov::element::i64, {}, {1}), 2);
  const auto wave = std::make_shared<op::Sin>(halves->output(0));
  const Quantized model(as_model({conv(halves->output(1), {8, 8, 3, 3}, "b", 3), wave}, {x}));
  EXPECT_THAT(model.precisions_of("Split"), Each("f32"));
  EXPECT_LT(model.error(), 0.05);
}

// Every level adds the upsampled level above it (feature pyramids).
TEST(Structure, UpsampledSumsAreAddedAsIntegers) {
  const auto x = image();
  const auto large = stem(x), small = relu(conv(pooled(large), "small", 3));
  const auto top = conv1x1(small, 16, 16, "top", 5);
  const auto sum = std::make_shared<op::Add>(conv1x1(large, 16, 16, "side", 6), upsampled(top));
  const Model model = as_model({conv(sum, "last", 7)}, {x});
  Plan plan = plan_with_all_int8(model);
  plan.recipes.set("residual_sums", true);
  const Quantized pyramid(model, plan);
  expect_all_kernels_in_int8(pyramid);
  EXPECT_THAT(pyramid.precisions_of("Interpolate"), AllOf(SizeIs(1), Each(::testing::AnyOf("u8", "i8"))));
  EXPECT_THAT(separate_quantizers(pyramid), IsEmpty());
  EXPECT_LT(pyramid.error(), 0.05);
}

// The encoder's tensors are concatenated with upsampled ones of the decoder (U-Net).
TEST(Structure, DeconvolutionsRunInInt8AndWriteIntegers) {
  const auto x = image();
  const auto encoder = stem(x), bottom = relu(conv(pooled(encoder), "bottom", 3));
  const auto joined = std::make_shared<op::Concat>(ov::OutputVector{upconvolved(bottom, "up", 4), encoder}, 1);
  const Quantized unet(as_model({conv1x1(joined, 32, 8, "last", 5)}, {x}));
  expect_all_kernels_in_int8(unet);
  EXPECT_THAT(unet.precisions_of("Deconvolution"), AllOf(SizeIs(1), Each(::testing::AnyOf("u8", "i8"))));
  EXPECT_THAT(unet.precisions_of("Concatenation"), Each(::testing::AnyOf("u8", "i8")));
  EXPECT_THAT(separate_quantizers(unet), IsEmpty());
  EXPECT_LT(unet.error(), 0.05);
}

// The kernel of a deconvolution has no zero point, so levels that it shares must not have one.
TEST(Structure, DeconvolutionsShareLevelsWithoutAZeroPoint) {
  const auto x = image();
  const auto joined = std::make_shared<op::Concat>(
      ov::OutputVector{conv1x1(x, 4, 8, "left", 2), relu(conv1x1(x, 4, 8, "right", 3))}, 1);
  Model model = as_model({upconvolved(joined, "up", 4), conv(joined, "last", 5)}, {x});
  Plan plan = plan_with_all_int8(model);
  plan.ops.at("up").activation.symmetry = Symmetry::Symmetric;
  const Quantized both(model, plan);
  expect_all_kernels_in_int8(both);
}

TEST(Structure, ActivationFunctionsArePartOfTheKernels) {
  const auto x = image();
  const auto prelu =
      std::make_shared<op::PRelu>(conv(x, {kFeatures, 4, 3, 3}, "a", 1), random_constant({kFeatures}, 2, 0, 0.5f));
  const auto hswish = std::make_shared<op::HSwish>(conv(prelu, "b", 3));
  const auto before_gate = conv(hswish, "c", 4);
  const auto swish = std::make_shared<op::Multiply>(before_gate, std::make_shared<op::Sigmoid>(before_gate));
  const Quantized activations(as_model({conv(swish, "d", 5)}, {x}));
  expect_all_kernels_in_int8(activations);
  EXPECT_THAT(separate_quantizers(activations), IsEmpty());
  EXPECT_LT(activations.error(), 0.1);
}

// Squeeze and excitation: the gate is computed from means, and the product with it is one kernel that writes integers.
TEST(Structure, GatesNeedOneSeparateQuantizer) {
  const auto x = image();
  const auto features = relu(conv(stem(x), "features", 2));
  const auto means = std::make_shared<op::ReduceMean>(features, integers({2, 3}), true);
  const auto gate = std::make_shared<op::Sigmoid>(conv1x1(relu(conv1x1(means, 16, 4, "less", 3)), 4, 16, "more", 4));
  const Quantized gated(as_model({conv(std::make_shared<op::Multiply>(features, gate), "last", 5)}, {x}));
  expect_all_kernels_in_int8(gated);
  EXPECT_THAT(separate_quantizers(gated), SizeIs(Le(2u)));
  EXPECT_LT(gated.error(), 0.1);
}

TEST(Structure, StemsWithTwoBranchesWriteIntegers) {
  const auto x = image();
  const auto joined = std::make_shared<op::Concat>(
      ov::OutputVector{relu(conv(x, {8, 4, 3, 3}, "a", 2)), relu(conv1x1(x, 4, 8, "b", 3))}, 1);
  const auto narrow = relu(conv(joined, "c", 4));
  const auto both = std::make_shared<op::Concat>(ov::OutputVector{pooled(joined), pooled(narrow)}, 1);
  const Quantized branches(as_model({conv1x1(both, 32, 8, "last", 5)}, {x}));
  expect_all_kernels_in_int8(branches);
  EXPECT_THAT(branches.precisions_of("Pooling"), Each("u8"));
  EXPECT_THAT(branches.precisions_of("Concatenation"), Each("u8"));
  EXPECT_THAT(separate_quantizers(branches), IsEmpty());
  EXPECT_LT(branches.error(), 0.05);
}

TensorStatistics observed(float low, float high) {
  TensorStatistics statistics;
  statistics.add(random_tensor({1, 1, 8, 8}, 1, low, high), 1);
  return statistics;
}

TEST(LevelGroups, JoinTheCheapestSetsFirstAndStopAtTheBound) {
  const LeveledTensors leveled{{"a", {{0, 1}, 1}}, {"b", {{0, 1.2f}, 1}}, {"small", {{0, 0.01f}, 1}}};
  const Statistics statistics{{"a", observed(0, 1)}, {"b", observed(0, 1.2f)}, {"small", observed(0, 0.01f)}};
  LevelGroups groups(leveled, statistics);
  groups.join({{"a", "small"}, {"a", "between"}, {"between", "b"}});
  EXPECT_EQ(groups.levels("a"), (Range{0, 1.2f}));
  EXPECT_EQ(groups.levels("b"), (Range{0, 1.2f}));
  EXPECT_EQ(groups.levels("small"), (Range{0, 0.01f})) << "it would have 10,000 times its noise";
}

TEST(LevelGroups, HaveNoZeroPointIfAKernelHasNone) {
  const LeveledTensors leveled{{"a", {{0, 1}, 1, true}}, {"b", {{-0.9f, 1}, 1}}};
  const Statistics statistics{{"a", observed(0, 1)}, {"b", observed(-0.9f, 1)}};
  LevelGroups groups(leveled, statistics);
  groups.join({{"a", "b"}});
  EXPECT_EQ(groups.levels("a"), groups.levels("b"));
  EXPECT_FLOAT_EQ(groups.levels("a").low / groups.levels("a").high, -128.0f / 127);
}

}  // namespace
}  // namespace lpot
