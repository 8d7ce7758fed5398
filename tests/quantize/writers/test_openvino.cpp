// How the OpenVINO writer applies edits: positions of quantizers, kernel variants, residual sums, embeddings.
#include <algorithm>
#include <cmath>

#include "lpot/core/error.h"
#include "lpot/plan/search_space.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/kernel_variants/choose.h"
#include "lpot/quantize/quantize.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/runtime/executable.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const OpPlan kInt8{Precision::Int8,
                   {Algorithm::MinMax, Granularity::PerTensor, Symmetry::Asymmetric, 8},
                   {Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 7}};

Plan all_int8(const Model& model, const Recipes& recipes = {}, KernelVariant variant = KernelVariant::Plain) {
  Plan plan;
  plan.recipes = recipes;
  for (const QuantizableOp& op : quantizable_ops(model)) {
    plan.ops[op.name] = kInt8;
    plan.ops[op.name].variant = variant;
  }
  return plan;
}

Statistics calibrated(const Model& model, const std::vector<Tensor>& inputs) {
  return observe(model, observation_points(model), loader_of(unlabelled(inputs)), {}).snapshots.back();
}

std::vector<std::string> names_of_type(const Model& model, const std::string& type) {
  std::vector<std::string> names;
  for (const OpInfo& op : list_ops(model))
    if (op.type == type) names.push_back(op.name);
  return names;
}

std::vector<float> run(const Model& model, const Tensor& input) {
  const Tensor output = Executable(model).infer({input})[0];
  return {output.data<float>(), output.data<float>() + output.size()};
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return largest;
}

template <typename Node>
std::shared_ptr<Node> named(const std::shared_ptr<Node>& node, const std::string& name) {
  node->set_friendly_name(name);
  return node;
}

std::shared_ptr<ov::Node> max_pool(const ov::Output<ov::Node>& input) {
  return named(std::make_shared<ov::op::v1::MaxPool>(input, ov::Strides{2, 2}, ov::Shape{0, 0}, ov::Shape{0, 0},
                                                     ov::Shape{2, 2}),
               "pool");
}

// conv a -> relu -> max pool -> conv b
Model pooled() {
  const auto x = parameter({1, 3, 8, 8}, "x");
  const auto relu = named(std::make_shared<op::Relu>(conv3x3(x, 3, 4, "a")), "relu");
  return as_model({conv3x3(max_pool(relu), 4, 4, "b", 2)}, {x});
}

TEST(Placement, QuantizersMoveUpThroughMaxPooling) {
  const Model model = pooled();
  const Statistics statistics = calibrated(model, {random_tensor({3, 8, 8}, 1)});
  const Model moved = quantize(model, all_int8(model), statistics);
  EXPECT_THAT(names_of_type(moved, "FakeQuantize"), UnorderedElementsAre("x/quantize", "relu/quantize"));
  Recipes recipes;
  recipes.set("through_max_pooling", false);
  const Model stayed = quantize(model, all_int8(model, recipes), statistics);
  EXPECT_THAT(names_of_type(stayed, "FakeQuantize"), UnorderedElementsAre("x/quantize", "pool/quantize"));
  const Tensor image = random_tensor({1, 3, 8, 8}, 7);
  EXPECT_LT(largest_difference(run(moved, image), run(stayed, image)), 1e-4);
}

TEST(Placement, QuantizersStayIfAnotherOpReadsTheTensor) {
  const auto x = parameter({1, 3, 8, 8}, "x");
  const auto pool = max_pool(named(std::make_shared<op::Relu>(conv3x3(x, 3, 4, "a")), "relu"));
  const Model model = as_model({conv3x3(pool, 4, 4, "b", 2), named(std::make_shared<op::Sigmoid>(pool), "other")}, {x});
  const Model int8 = quantize(model, all_int8(model), calibrated(model, {random_tensor({3, 8, 8}, 1)}));
  EXPECT_THAT(names_of_type(int8, "FakeQuantize"), UnorderedElementsAre("x/quantize", "pool/quantize"));
}

TEST(Placement, TheInputsOfAConcatenationShareOneScale) {
  const auto x = parameter({1, 3, 8, 8}, "x");
  const auto one = named(std::make_shared<op::Relu>(conv3x3(x, 3, 4, "a")), "one");
  const auto two = named(std::make_shared<op::Relu>(conv3x3(x, 3, 4, "b", 2)), "two");
  const auto both = named(std::make_shared<op::Concat>(ov::OutputVector{one, two}, 1), "both");
  const Model model = as_model({conv3x3(both, 8, 4, "c", 3)}, {x});
  const Statistics statistics = calibrated(model, {random_tensor({3, 8, 8}, 1)});
  EXPECT_THAT(names_of_type(quantize(model, all_int8(model), statistics), "FakeQuantize"),
              UnorderedElementsAre("x/quantize", "one/quantize", "two/quantize"));
  Recipes recipes;
  recipes.set("through_concat", false);
  EXPECT_THAT(names_of_type(quantize(model, all_int8(model, recipes), statistics), "FakeQuantize"),
              UnorderedElementsAre("x/quantize", "both/quantize"));
}

// relu -> conv -> + relu's output
Model residual() {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto relu = named(std::make_shared<op::Relu>(conv3x3(x, 4, 4, "a")), "relu");
  const auto bias =
      named(std::make_shared<op::Add>(conv3x3(relu, 4, 4, "b", 2), random_constant({1, 4, 1, 1}, 9)), "bias");
  const auto sum = named(std::make_shared<op::Add>(bias, relu), "sum");
  return as_model({conv3x3(named(std::make_shared<op::Relu>(sum), "out"), 4, 4, "c", 3)}, {x});
}

TEST(ResidualSums, ReadIntegersOnBothSides) {
  const Model model = residual();
  const Statistics statistics = calibrated(model, {random_tensor({4, 8, 8}, 1)});
  // The output of the first convolution, which the second convolution and the sum read.
  const auto output_precision = [&](const Recipes& recipes) {
    const Executable executable(quantize(model, all_int8(model, recipes), statistics));
    for (const ExecutedOp& kernel : executable.executed_ops())
      if (kernel.name == "a") return kernel.precision;
    return std::string("nothing");
  };
  Recipes recipes;
  EXPECT_EQ(output_precision(recipes), "f32");
  recipes.set("residual_sums", true);
  EXPECT_EQ(output_precision(recipes), "u8");
}

TEST(ResidualSums, StayInFp32IfTheirConvolutionDoes) {
  const Model model = residual();
  Recipes recipes;
  recipes.set("residual_sums", true);
  Plan plan = all_int8(model, recipes);
  plan.ops.at("b") = OpPlan{};
  EXPECT_THAT(resolve(model, plan, calibrated(model, {random_tensor({4, 8, 8}, 1)})).inputs, IsEmpty());
}

// [batch, rows, 8] -> product of 8 x 16 with a bias -> relu -> product of 16 x 4
Model products(const ov::PartialShape& shape = {-1, -1, 8}) {
  const auto x = parameter(shape, "x");
  const auto first = product(x, 8, 16, "first");
  const auto bias = named(std::make_shared<op::Add>(first, random_constant({16}, 9)), "bias");
  return as_model({product(named(std::make_shared<op::Relu>(bias), "relu"), 16, 4, "second", 2)}, {x});
}

TEST(ConvolutionVariant, ComputesTheSameOutputs) {
  for (const bool has_rows : {true, false}) {
    const Model model = products(has_rows ? ov::PartialShape{-1, -1, 8} : ov::PartialShape{-1, 8});
    const Shape sample = has_rows ? Shape{5, 8} : Shape{8}, batch = has_rows ? Shape{2, 5, 8} : Shape{2, 8};
    const Statistics statistics = calibrated(model, {random_tensor(sample, 1), random_tensor(sample, 2)});
    const Model plain = quantize(model, all_int8(model), statistics);
    const Model formed = quantize(model, all_int8(model, {}, KernelVariant::Convolution), statistics);
    EXPECT_THAT(names_of_type(formed, "Convolution"), ElementsAre("first", "second"));
    EXPECT_THAT(names_of_type(formed, "MatMul"), IsEmpty());
    EXPECT_EQ(model_outputs(formed)[0].describe(), model_outputs(model)[0].describe());
    const Tensor input = random_tensor(batch, 7);
    EXPECT_LT(largest_difference(run(plain, input), run(formed, input)), 1e-4);
    const Model pixels = quantize(model, all_int8(model, {}, KernelVariant::Pixels), statistics);
    EXPECT_THAT(names_of_type(pixels, "Convolution"), ElementsAre("first", "second"));
    EXPECT_EQ(names_of_type(pixels, "Transpose").empty(), !has_rows);
    EXPECT_LT(largest_difference(run(plain, input), run(pixels, input)), 1e-4);
  }
}

// A product followed by an activation function with constants that reads it twice, like GELU, and by another product.
struct Activated {
  bool bias = true;
  bool bypass = false;  // another op that depends on the layout reads the tensor between them
  bool batch = true;    // whether the input has a batch dimension

  Model model() const {
    const auto x = parameter(batch ? ov::PartialShape{-1, -1, 8} : ov::PartialShape{-1, 8}, "x");
    ov::Output<ov::Node> first = product(x, 8, 16, "first");
    if (bias) first = std::make_shared<op::Add>(first, random_constant({16}, 9));
    const auto erf = std::make_shared<op::Erf>(std::make_shared<op::Divide>(first, constant({}, {1.41f})));
    const auto scaled = std::make_shared<op::Multiply>(std::make_shared<op::Add>(erf, constant({1}, {1.0f})), first);
    const auto by_channel = std::make_shared<op::Multiply>(scaled, random_constant({16}, 3));
    ov::OutputVector outputs{product(by_channel, 16, 4, "second", 2)};
    const auto axes = op::Constant::create(ov::element::i64, {1}, {-1});
    if (bypass) outputs.push_back(std::make_shared<op::ReduceMax>(erf, axes));
    return as_model(outputs, {x});
  }
};

TEST(ConvolutionVariant, HasNoTransposesBetweenTwoProducts) {
  const auto layout_steps = [](const Activated& activated) {
    const Model model = activated.model();
    const Shape sample = activated.batch ? Shape{5, 8} : Shape{8};
    const Statistics statistics = calibrated(model, {random_tensor(sample, 1), random_tensor(sample, 2)});
    const Model formed = quantize(model, all_int8(model, {}, KernelVariant::Convolution), statistics);
    const Tensor input = random_tensor(activated.batch ? Shape{2, 5, 8} : Shape{10, 8}, 7);
    const auto expected = Executable(quantize(model, all_int8(model), statistics)).infer({input});
    const auto outputs = Executable(formed).infer({input});
    for (std::size_t output = 0; output < outputs.size(); ++output)
      for (std::size_t i = 0; i < outputs[output].size(); ++i)
        EXPECT_NEAR(outputs[output].value_at(i), expected[output].value_at(i), 1e-4) << output;
    return names_of_type(formed, "Transpose");
  };
  EXPECT_THAT(layout_steps({}), ElementsAre("first/channels_first", "second/channels_last"));
  EXPECT_THAT(layout_steps({.batch = false}),
              ElementsAre("first/channels_first/turned", "second/channels_last/turned"));
  EXPECT_EQ(layout_steps({.bypass = true}).size(), 4u) << "an op between them depends on the layout";
  EXPECT_EQ(layout_steps({.bias = false}).size(), 4u) << "the runtime would compute wrong results";
}

TEST(ConvolutionVariant, DoesNotApplyToConvolutions) {
  const auto x = parameter({1, 3, 8}, "x");
  const auto conv =
      named(std::make_shared<op::Convolution>(x, random_constant({4, 3, 1}, 1), ov::Strides{1}, ov::CoordinateDiff{0},
                                              ov::CoordinateDiff{0}, ov::Strides{1}),
            "conv");
  const Model model = as_model({conv}, {x});
  const Statistics statistics = calibrated(model, {random_tensor({3, 8}, 1)});
  const Model formed = quantize(model, all_int8(model, {}, KernelVariant::Convolution), statistics);
  EXPECT_THAT(names_of_type(formed, "Convolution"), ElementsAre("conv"));
  EXPECT_THAT(names_of_type(formed, "Transpose"), IsEmpty());
}

TEST(ConvolutionVariant, KeepsTheBiasCorrection) {
  const Model model = products();
  const Statistics statistics = calibrated(model, {random_tensor({5, 8}, 1)});
  Recipes recipes;
  recipes.set("bias_correction", true);
  const Tensor input = random_tensor({2, 5, 8}, 7);
  const auto plain = run(quantize(model, all_int8(model, recipes), statistics), input);
  const auto formed = run(quantize(model, all_int8(model, recipes, KernelVariant::Convolution), statistics), input);
  EXPECT_LT(largest_difference(plain, formed), 1e-4);
  EXPECT_GT(largest_difference(plain, run(quantize(model, all_int8(model), statistics), input)), 1e-6);
}

// Exact edits with divisors: the weights contain the factor and nothing is rounded.
TEST(SmoothedActivations, AreExactInFp32) {
  const Model model = products();
  std::vector<Tensor> samples;
  for (unsigned i = 0; i < 50; ++i) samples.push_back(random_tensor({5, 8}, 100 + i));
  const Statistics statistics = calibrated(model, samples);
  Plan plan = all_int8(model);
  plan.recipes.set("smooth_quant", true);
  plan.recipes.set("smooth_quant_alpha", 0.5);
  const Edits edits = resolve(model, plan, statistics);
  ASSERT_EQ(edits.ops[0].input_divisors.size(), 8u);
  // x / d times w * d in fp32, compared with x times w.
  const std::vector<float> weights = random_values(8 * 16, 1);
  const Tensor x = random_tensor({8}, 3);
  for (std::size_t o = 0; o < 16; ++o) {
    double want = 0, got = 0;
    for (std::size_t j = 0; j < 8; ++j) {
      const float divisor = edits.ops[0].input_divisors[j], value = x.data<float>()[j], weight = weights[j * 16 + o];
      want += static_cast<double>(value * weight);
      got += static_cast<double>((value / divisor) * (weight * divisor));
    }
    EXPECT_NEAR(got, want, 1e-5);
  }
  // The quantized model is close to the fp32 model, with static and with dynamic shapes.
  const Tensor input = random_tensor({2, 5, 8}, 7);
  const auto fp32 = run(model, input);
  EXPECT_LT(largest_difference(run(quantize(model, plan, statistics), input), fp32), 0.2);
}

TEST(SmoothedActivations, AreNotDividedAfterReductions) {
  const auto x = parameter({-1, 4, 6}, "x");
  const auto largest = [&] {
    return std::make_shared<op::ReduceMax>(x, op::Constant::create(ov::element::i64, {1}, {2}), false);
  };
  const auto joined = std::make_shared<op::Concat>(ov::OutputVector{largest(), largest()}, 1);
  const Model model = as_model({product(joined, 8, 8, "a"), product(largest(), 4, 8, "b")}, {x});
  Plan plan = all_int8(model);
  plan.recipes.set("smooth_quant", true);
  plan.recipes.set("smooth_quant_alpha", 0.8);
  for (const OpEdit& edit : resolve(model, plan, calibrated(model, {random_tensor({4, 6}, 1)})).ops)
    EXPECT_THAT(edit.input_divisors, IsEmpty()) << edit.op;
}

TEST(Embeddings, AreStoredAsIntegersAndLookedUpAsBefore) {
  const auto ids = parameter({-1, -1}, "ids", ov::element::i64);
  const auto table = named(random_constant({2000, 64}, 4), "table");
  const auto axis = op::Constant::create(ov::element::i64, {}, {0});
  const auto rows = named(std::make_shared<op::Gather>(table, ids, axis), "lookup");
  const Model model = as_model({product(rows, 64, 4, "head")}, {ids});
  Edits edits;
  Plan plan;
  plan.recipes.set("int8_tables", true);
  edits = resolve(model, plan, {});
  ASSERT_EQ(edits.tables.size(), 1u);
  EXPECT_EQ(edits.tables[0].op, "lookup");
  const Tensor input = Tensor::from<std::int64_t>({1, 3}, {0, 1999, 7});
  EXPECT_LT(largest_difference(run(apply(model, edits), input), run(model, input)), 0.2);
}

// An int8 kernel follows the sum of segment rows and word rows, so the runtime gathers integers.
TEST(Embeddings, OfFewWideRowsAreGatheredAsIntegersWithOneScalePerColumn) {
  const auto ids = parameter({1, 16}, "ids", ov::element::i64);
  const auto axis = op::Constant::create(ov::element::i64, {}, {0});
  const auto lookup = [&](std::size_t rows, std::size_t columns, const std::string& name) {
    return named(std::make_shared<op::Gather>(random_constant({rows, columns}, 4), ids, axis), name);
  };
  const auto narrow = product(lookup(2, 8, "narrow"), 8, 4, "of_narrow");
  const auto sum = std::make_shared<op::Add>(lookup(2, 64, "segments"), lookup(2000, 64, "words"));
  const Model model = as_model({product(sum, 64, 4, "head"), narrow}, {ids});
  Tensor input = Tensor::from<std::int64_t>({1, 16}, {0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1});
  Plan plan = all_int8(model);
  plan.recipes.set("int8_tables", true);
  const Edits edits = resolve(model, plan, calibrated(model, {input}));
  ASSERT_EQ(edits.tables.size(), 2u);
  EXPECT_EQ(edits.tables[0].op, "segments");
  EXPECT_EQ(edits.tables[0].rows->scale_shape, (Shape{1, 64}));
  EXPECT_FALSE(edits.tables[0].has_row_scales());
  EXPECT_TRUE(edits.tables[1].has_row_scales());
  const Model int8 = apply(model, edits);
  EXPECT_LT(largest_difference(run(int8, input), run(model, input)), 0.2);
  const auto executed = Executable(int8, {}).executed_ops();
  const auto gather =
      std::find_if(executed.begin(), executed.end(), [](const ExecutedOp& op) { return op.name == "segments"; });
  ASSERT_NE(gather, executed.end());
  EXPECT_EQ(gather->precision, "i8");
}

TEST(TimesByOwner, AssignsFollowingOpsToTheKernelAndQuantizersToTheirReader) {
  const Model model = products({1, 5, 8});
  const auto owners = find_owners(model, all_int8(model));
  EXPECT_EQ(owners.at("first"), "first");
  EXPECT_EQ(owners.at("relu"), "first");
  EXPECT_EQ(owners.at("x/quantize"), "first");
  EXPECT_EQ(owners.at("relu/quantize"), "second");
  ExecutedOp kernel, conversion, unknown;
  kernel.source_names = {"first", "bias", "relu"};
  kernel.time_ms = 2;
  conversion.source_names = {"second/channels_first"};
  conversion.time_ms = 0.5;
  unknown.name = "input";
  unknown.time_ms = 9;
  EXPECT_EQ(times_by_owner({kernel, conversion, unknown}, owners),
            (std::map<std::string, double>{{"first", 2.0}, {"second", 0.5}}));
}

TEST(KernelVariants, AreReadBackFromJson) {
  KernelVariantChoice choice;
  choice.times = {{"a", {1, 2, 0.5}}, {"b", {1, 2, 0}}};
  choice.variants = {{"a", KernelVariant::Convolution}};
  choice.slower_in_int8 = {"b"};
  EXPECT_EQ(kernel_variants_from_json(to_json(choice)), choice);
  EXPECT_THROW(kernel_variants_from_json("{\"a\": 1}"), StoreError);
}

TEST(KernelVariants, DetermineTheChoicesOfOps) {
  PlanChoices choices;
  choices.ops = {{"a", "MatMul", {kInt8, OpPlan{}}}, {"b", "MatMul", {kInt8, OpPlan{}}}, {"c", "MatMul", {kInt8}}};
  KernelVariantChoice choice;
  choice.variants = {{"a", KernelVariant::Convolution}};
  choice.slower_in_int8 = {"b", "c"};
  choices = with_kernel_variants(choices, choice, true);
  EXPECT_EQ(choices.ops[0].choices[0].variant, KernelVariant::Convolution);
  EXPECT_EQ(choices.ops[1].choices.size(), 1u);
  EXPECT_EQ(choices.ops[1].choices[0].precision, Precision::Fp32);
  EXPECT_EQ(choices.ops[2].choices[0].precision, Precision::Int8) << "the config forbids fp32";
}

TEST(ChooseKernelVariants, TimesEveryOpInEveryVariant) {
  // The runtime reports times in whole microseconds, so the products must not be too small.
  const Model model = products({1, 20000, 8});
  const KernelVariantChoice choice =
      choose_kernel_variants(model, all_int8(model), calibrated(model, {random_tensor({20000, 8}, 1)}),
                             {random_tensor({1, 20000, 8}, 2)}, {.seconds = 0});
  ASSERT_EQ(choice.times.size(), 2u);
  for (const auto& [name, times] : choice.times) {
    EXPECT_GT(times.fp32_ms, 0) << name;
    EXPECT_GT(times.plain_ms, 0) << name;
    EXPECT_GT(times.convolution_ms, 0) << name;
  }
}

}  // namespace
}  // namespace lpot
