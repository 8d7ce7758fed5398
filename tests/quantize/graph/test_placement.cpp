// Quantizers move through value-preserving ops: checks the executed kernels and their outputs.
#include <algorithm>
#include <cmath>

#include "lpot/quantize/graph/activation_range.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/graph/integer_reads.h"
#include "lpot/quantize/graph/placement.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/runtime/executable.h"
#include "tests/quantize/graph/quantized_graph.h"

namespace lpot {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using Between = std::function<std::shared_ptr<ov::Node>(const ov::Output<ov::Node>&)>;

// conv a -> relu -> `between` -> conv b
Model around(const Between& between) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto relu = named(std::make_shared<op::Relu>(conv3x3(x, 4, 16, "a")), "relu");
  return as_model({conv3x3(named(between(relu), "between"), 16, 4, "b", 2)}, {x});
}

std::shared_ptr<ov::Node> resized(const ov::Output<ov::Node>& tensor, op::Interpolate::InterpolateMode mode) {
  using Resize = op::Interpolate;
  Resize::InterpolateAttrs attributes;
  attributes.mode = mode;
  attributes.shape_calculation_mode = Resize::ShapeCalcMode::SIZES;
  attributes.coordinate_transformation_mode = Resize::CoordinateTransformMode::ASYMMETRIC;
  attributes.nearest_mode = Resize::NearestMode::FLOOR;
  const auto integers = [](const std::vector<std::int64_t>& values) {
    return op::Constant::create(ov::element::i64, {2}, values);
  };
  return std::make_shared<Resize>(tensor, integers({16, 16}), constant({2}, {2, 2}), integers({2, 3}), attributes);
}

std::shared_ptr<ov::Node> padded(const ov::Output<ov::Node>& tensor, float value) {
  const auto sizes = op::Constant::create(ov::element::i64, {4}, {0, 0, 1, 1});
  return std::make_shared<op::Pad>(tensor, sizes, sizes, constant({}, {value}), ov::op::PadMode::CONSTANT);
}

TEST(Placement, MovesQuantizersThroughNearestResize) {
  const Quantized nearest(around([](const auto& x) { return resized(x, op::Interpolate::InterpolateMode::NEAREST); }));
  EXPECT_THAT(nearest.quantizers(), UnorderedElementsAre("x/quantize", "relu/quantize"));
  EXPECT_EQ(nearest.output_precision(), "u8");
  EXPECT_LT(nearest.error(), 0.05);
}

TEST(Placement, LeavesTheQuantizerAfterLinearResize) {
  const Quantized linear(
      around([](const auto& x) { return resized(x, op::Interpolate::InterpolateMode::LINEAR_ONNX); }));
  EXPECT_THAT(linear.quantizers(), UnorderedElementsAre("x/quantize", "between/quantize"));
  EXPECT_LT(linear.error(), 0.05);
}

TEST(Placement, MovesQuantizersThroughZeroPadding) {
  const Quantized zeros(around([](const auto& x) { return padded(x, 0.0f); }));
  EXPECT_THAT(zeros.quantizers(), UnorderedElementsAre("x/quantize", "relu/quantize"));
  EXPECT_EQ(zeros.output_precision(), "u8");
  EXPECT_LT(zeros.error(), 0.05);
}

TEST(Placement, LeavesTheQuantizerAfterNonZeroPadding) {
  const Quantized ones(around([](const auto& x) { return padded(x, 1.37f); }));
  EXPECT_THAT(ones.quantizers(), UnorderedElementsAre("x/quantize", "between/quantize"));
  EXPECT_LT(ones.error(), 0.05);
}

std::shared_ptr<ov::Node> greatest(const ov::Output<ov::Node>& tensor, const std::string& name) {
  const auto axes = op::Constant::create(ov::element::i64, {2}, {2, 3});
  return named(std::make_shared<op::ReduceMax>(tensor, axes, false), name);
}

// The plug-in fuses a quantizer directly after the reduction into it, with wrong results.
TEST(Placement, MovesQuantizersThroughReduceMax) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto relu = named(std::make_shared<op::Relu>(conv3x3(x, 4, 16, "a")), "relu");
  const Quantized reduced(as_model({product(greatest(relu, "greatest"), 16, 4, "b", 2)}, {x}));
  EXPECT_THAT(reduced.quantizers(), UnorderedElementsAre("x/quantize", "relu/quantize"));
  EXPECT_EQ(reduced.output_precision(), "u8");
  EXPECT_LT(reduced.error(), 0.05);
}

// conv a -> relu -> conv b -> relu; the per-channel maximum of both -> product. `has_other_reader`: another op reads
// the first relu too.
Model blend(bool has_other_reader = false) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto first = named(std::make_shared<op::Relu>(conv3x3(x, 4, 16, "a")), "first");
  const auto second = named(std::make_shared<op::Relu>(conv3x3(first, 16, 16, "b", 2)), "second");
  const auto both =
      std::make_shared<op::Concat>(ov::OutputVector{greatest(first, "of_first"), greatest(second, "of_second")}, 1);
  ov::OutputVector outputs{product(both, 32, 4, "product", 3)};
  if (has_other_reader) outputs.push_back(named(std::make_shared<op::Sigmoid>(first), "also"));
  return as_model(outputs, {x});
}

TEST(Placement, ValuePreservingOpsShareTheQuantizerOfAKernel) {
  const Quantized shared(blend());
  EXPECT_EQ(shared.input_levels("of_first"), shared.edits.ops[1].levels);
  EXPECT_THAT(shared.quantizers(),
              UnorderedElementsAre("x/quantize", "first/quantize", "of_first/quantize", "second/quantize"));
  EXPECT_EQ(shared.output_precision(), "u8");
  EXPECT_LT(shared.error(), 0.05);
}

TEST(Placement, ValuePreservingOpsBeforeFp32OpsShareItToo) {
  const Model model = blend();
  Plan plan = plan_with_all_int8(model);
  plan.ops.at("product") = OpPlan{};
  const Quantized shared(model, plan);
  EXPECT_THAT(shared.quantizers(), UnorderedElementsAre("x/quantize", "first/quantize"));
  EXPECT_EQ(shared.output_precision(), "u8");
  EXPECT_LT(shared.error(), 0.05);
}

TEST(Placement, SharesNoQuantizerIfTheTensorIsNeededInFp32) {
  const Quantized apart(blend(true));
  EXPECT_NE(apart.input_levels("of_first"), apart.edits.ops[1].levels);
  EXPECT_THAT(apart.quantizers(),
              UnorderedElementsAre("x/quantize", "first/quantize", "first/quantize_1", "second/quantize"));
  EXPECT_LT(apart.error(), 0.05);
}

// An op between the reduction and the quantizer is fused into the reduction too.
TEST(Placement, ProductsAfterAnActivationOfReduceMaxStayInFp32) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto relu = named(std::make_shared<op::Relu>(conv3x3(x, 4, 16, "a")), "relu");
  const auto squashed = named(std::make_shared<op::Tanh>(greatest(relu, "greatest")), "squashed");
  const Quantized kept(as_model({product(squashed, 16, 4, "b", 2)}, {x}));
  EXPECT_THAT(kept.quantizers(), UnorderedElementsAre("x/quantize"));
  EXPECT_LT(kept.error(), 0.05);
}

TEST(Placement, InsertsNoDivisionAfterAReductionAndItsActivation) {
  const auto x = parameter({-1, 8, 16}, "x");
  const auto axis = op::Constant::create(ov::element::i64, {1}, {1});
  const auto mean = std::make_shared<op::ReduceMean>(x, axis, false);
  const auto behind = product(std::make_shared<op::Relu>(mean), 16, 4, "behind");
  const auto beside = product(std::make_shared<op::Relu>(x), 16, 4, "beside");
  EXPECT_FALSE(may_be_divided(behind->input(0)));
  EXPECT_TRUE(may_be_quantized(behind->input(0)));
  EXPECT_TRUE(may_be_divided(beside->input(0)));
}

TEST(Placement, SharesNoQuantizerIfNoKernelProducesTheTensor) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const Quantized plain(as_model({conv3x3(x, 4, 4, "a"), product(greatest(x, "of_x"), 4, 4, "b", 2)}, {x}));
  EXPECT_THAT(plain.quantizers(), UnorderedElementsAre("x/quantize", "x/quantize_1"));
}

// conv a -> relu
std::shared_ptr<ov::Node> first_relu(const std::shared_ptr<ov::Node>& x) {
  return named(std::make_shared<op::Relu>(conv3x3(x, 4, 16, "a")), "relu");
}

std::shared_ptr<ov::Node> max_pooled(const ov::Output<ov::Node>& tensor) {
  const ov::Strides ones{1, 1};
  return named(
      std::make_shared<ov::op::v8::MaxPool>(tensor, ones, ones, ov::Shape{1, 1}, ov::Shape{1, 1}, ov::Shape{3, 3}),
      "pool");
}

std::shared_ptr<ov::Node> averaged(const ov::Output<ov::Node>& tensor, bool ignores_padding = true) {
  return named(std::make_shared<ov::op::v1::AvgPool>(tensor, ov::Strides{1, 1}, ov::Shape{1, 1}, ov::Shape{1, 1},
                                                     ov::Shape{3, 3}, ignores_padding),
               "pool");
}

TEST(Placement, MovesTheSharedQuantizerOfTwoBranchesThroughMaxPooling) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto pool = max_pooled(first_relu(x));  // with a second output, the indices, that nothing reads
  const Quantized stem(as_model({conv3x3(pool, 16, 4, "b", 2), conv3x3(pool, 16, 4, "c", 3)}, {x}));
  EXPECT_THAT(stem.quantizers(), UnorderedElementsAre("x/quantize", "relu/quantize"));
  EXPECT_EQ(stem.output_precision(), "u8");
  EXPECT_LT(stem.error(), 0.05);
}

TEST(Placement, JoinsQuantizersThatMeetOnATensor) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto relu = first_relu(x);
  const Quantized branches(as_model({conv3x3(relu, 16, 4, "b", 2), conv3x3(max_pooled(relu), 16, 4, "c", 3)}, {x}));
  EXPECT_THAT(branches.quantizers(), UnorderedElementsAre("x/quantize", "relu/quantize"));
  EXPECT_EQ(branches.edits.ops[1].levels, branches.edits.ops[2].levels);
  EXPECT_EQ(branches.output_precision(), "u8");
  EXPECT_LT(branches.error(), 0.05);
}

TEST(Placement, JoinedQuantizersMoveOnThroughConcat) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto left = named(std::make_shared<op::Relu>(conv3x3(x, 4, 16, "a")), "left");
  const auto right = named(std::make_shared<op::Relu>(conv3x3(x, 4, 16, "a2", 5)), "right");
  const auto both = std::make_shared<op::Concat>(ov::OutputVector{left, right}, 1);
  const Quantized module(as_model({conv3x3(both, 32, 4, "b", 2), conv3x3(max_pooled(both), 32, 4, "c", 3)}, {x}));
  EXPECT_THAT(module.quantizers(), UnorderedElementsAre("x/quantize", "left/quantize", "right/quantize"));
  EXPECT_EQ(module.output_precision(), "u8");
  EXPECT_LT(module.error(), 0.05);
}

TEST(Placement, AveragePoolingSharesTheQuantizerOfAKernel) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto relu = first_relu(x);
  const Quantized branches(as_model({conv3x3(relu, 16, 4, "b", 2), conv3x3(averaged(relu), 16, 4, "c", 3)}, {x}));
  EXPECT_THAT(branches.quantizers(), UnorderedElementsAre("x/quantize", "relu/quantize", "pool/quantize"));
  EXPECT_EQ(branches.output_precision(), "u8");
  EXPECT_LT(branches.error(), 0.05);
}

TEST(Placement, AveragesBetweenKernelsReadIntegers) {
  for (const bool ignores_padding : {true, false}) {
    const auto x = parameter({1, 4, 8, 8}, "x");
    const auto pool = averaged(first_relu(x), ignores_padding);
    const Quantized pooled(as_model({conv3x3(pool, 16, 4, "b", 2)}, {x}));
    EXPECT_THAT(pooled.quantizers(), UnorderedElementsAre("x/quantize", "relu/quantize", "pool/quantize"));
    EXPECT_EQ(pooled.output_precision(), "u8");
    EXPECT_LT(pooled.error(), 0.05) << ignores_padding;
  }
}

TEST(Placement, ReducedMeansBetweenKernelsReadIntegers) {
  for (const bool keeps_dimensions : {true, false}) {
    const auto x = parameter({1, 4, 8, 8}, "x");
    const auto axes = op::Constant::create(ov::element::i64, {2}, {2, 3});
    std::shared_ptr<ov::Node> mean = std::make_shared<op::ReduceMean>(first_relu(x), axes, keeps_dimensions);
    if (keeps_dimensions)
      mean = std::make_shared<op::Reshape>(mean, op::Constant::create(ov::element::i64, {2}, {1, 16}), false);
    const Quantized reduced(as_model({product(mean, 16, 4, "b", 2)}, {x}));
    EXPECT_THAT(reduced.edits.inputs, SizeIs(1)) << keeps_dimensions;
    EXPECT_EQ(reduced.output_precision(), "u8");
    EXPECT_LT(reduced.error(), 0.05) << keeps_dimensions;
  }
}

// Zeros of the padding would count as the lowest level, not as zero.
TEST(Placement, AveragesWithPaddingReadSignedValuesInFp32) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto pool = averaged(conv3x3(x, 4, 16, "a"), false);
  const Quantized pooled(as_model({conv3x3(pool, 16, 4, "b", 2)}, {x}));
  EXPECT_THAT(pooled.edits.inputs, IsEmpty());
  EXPECT_LT(pooled.error(), 0.05);
}

// The shortcut of a residual block that changes the number of channels.
TEST(Placement, SumsOfTwoConvolutionsReadIntegers) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto relu = first_relu(x);
  const auto sum = named(std::make_shared<op::Add>(conv3x3(relu, 16, 8, "b", 2), conv3x3(relu, 16, 8, "c", 3)), "sum");
  const Model model = as_model({conv3x3(std::make_shared<op::Relu>(sum), 8, 4, "d", 4)}, {x});
  Plan plan = plan_with_all_int8(model);
  plan.recipes.set("residual_sums", true);
  const Quantized block(model, plan);
  EXPECT_THAT(block.edits.inputs, SizeIs(2));
  for (const ExecutedOp& kernel : Executable(block.int8).executed_ops())
    EXPECT_NE(kernel.name, "sum") << "is a part of a convolution";
  EXPECT_LT(block.error(), 0.05);

  plan.ops.at("c") = OpPlan{};
  EXPECT_THAT(Quantized(model, plan).edits.inputs, IsEmpty()) << "one of them is in fp32";
}

std::shared_ptr<ov::Node> cropped(const ov::Output<ov::Node>& tensor) {
  const auto integers = [](std::int64_t value) { return op::Constant::create(ov::element::i64, {1}, {value}); };
  return std::make_shared<op::Slice>(tensor, integers(0), integers(8), integers(1), integers(2));
}

bool runs_in_int8(const Model& int8, const std::string& name) {
  for (const ExecutedOp& kernel : Executable(int8).executed_ops())
    if (kernel.type == "Convolution" &&
        std::find(kernel.source_names.begin(), kernel.source_names.end(), name) != kernel.source_names.end())
      return kernel.is_int8();
  return false;
}

// Signed values have a zero point, so the integer 0 of the padding is not zero.
TEST(Placement, LeavesTheQuantizerOfSignedValuesAfterPaddingThatIsNotPartOfAKernel) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto signed_values = conv3x3(x, 4, 16, "a");
  const Quantized padded_first(as_model({conv3x3(cropped(padded(signed_values, 0.0f)), 16, 4, "b", 2)}, {x}));
  EXPECT_TRUE(runs_in_int8(padded_first.int8, "b"));
  EXPECT_LT(padded_first.error(), 0.05);

  const auto y = parameter({1, 4, 8, 8}, "x");
  const Quantized unsigned_values(as_model({conv3x3(cropped(padded(first_relu(y), 0.0f)), 16, 4, "b", 2)}, {y}));
  EXPECT_TRUE(runs_in_int8(unsigned_values.int8, "b"));
  EXPECT_THAT(unsigned_values.quantizers(), UnorderedElementsAre("x/quantize", "relu/quantize"));
}

TEST(Placement, LeavesTheQuantizerAfterSpaceToDepth) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto blocks =
      std::make_shared<op::SpaceToDepth>(first_relu(x), op::SpaceToDepth::SpaceToDepthMode::BLOCKS_FIRST, 2);
  const Quantized deep(as_model({conv3x3(blocks, 64, 4, "b", 2)}, {x}));
  EXPECT_TRUE(runs_in_int8(deep.int8, "b"));
  EXPECT_LT(deep.error(), 0.05);
}

TEST(Placement, VisitsEachTensorOfAChainOfConcatenationsOnce) {
  const auto x = parameter({1, 4, -1, 8}, "x");
  std::shared_ptr<ov::Node> joined = x;
  for (int i = 0; i < 50; ++i)
    joined = std::make_shared<op::Concat>(ov::OutputVector{joined, std::make_shared<op::Relu>(joined)}, 2);
  const Model model = as_model({conv3x3(joined, 4, 4, "a")}, {x});
  EXPECT_THAT(quantizable_ops(model), SizeIs(1));
}

// The int8 kernel of the transposed convolution needs the zero point 0.
TEST(Placement, KeepsTheLevelsOfATransposedConvolutionAfterMaxPooling) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto a = conv3x3(x, 4, 4, "a");
  const std::vector<std::size_t> none{0, 0}, two{2, 2};
  const auto pool = std::make_shared<ov::op::v8::MaxPool>(a, ov::Strides(two), ov::Strides{1, 1}, none, none, two);
  const auto up = named(std::make_shared<op::ConvolutionBackpropData>(pool, random_constant({4, 4, 2, 2}, 3),
                                                                      ov::Strides(two), ov::CoordinateDiff{0, 0},
                                                                      ov::CoordinateDiff{0, 0}, ov::Strides{1, 1}),
                        "up");
  const Model model = as_model({conv3x3(a, 4, 4, "b", 2), up}, {x});
  Plan plan = plan_with_all_int8(model);
  plan.ops.at("up").activation.symmetry = Symmetry::Symmetric;
  const Quantized pooled(model, plan);
  const auto zero_point_of = [&](const std::string& name) {
    const auto found = std::find_if(pooled.edits.ops.begin(), pooled.edits.ops.end(),
                                    [&](const OpEdit& edit) { return edit.op == name; });
    return Quantization(found->levels).zero_point;
  };
  EXPECT_EQ(zero_point_of("up"), 0);
  EXPECT_NE(zero_point_of("b"), 0);
}

// A layer norm subtracts the mean, so its quantization would gain nothing, and its range is not observed.
TEST(Placement, OnlyObservesMeansThatKernelsRead) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto relu = first_relu(x);
  const auto axes = op::Constant::create(ov::element::i64, {2}, {2, 3});
  const auto mean = std::make_shared<op::ReduceMean>(relu, axes, true);
  const Model norm = as_model({std::make_shared<op::Subtract>(relu, mean)}, {x});
  EXPECT_THAT(tensors_of_integer_reads(norm), IsEmpty());

  const auto y = parameter({1, 4, 8, 8}, "x");
  const auto flat = std::make_shared<op::ReduceMean>(first_relu(y), axes, false);
  EXPECT_THAT(tensors_of_integer_reads(as_model({product(flat, 16, 4, "b", 2)}, {y})), UnorderedElementsAre("relu"));
}

}  // namespace
}  // namespace lpot
