// Products of two activations in int8.
#include "lpot/quantize/graph/products.h"

#include <cmath>

#include "lpot/core/error.h"
#include "lpot/plan/search_space.h"
#include "lpot/quantize/graph/channel_pairs.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/quantize.h"
#include "lpot/quantize/recipes/table.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/runtime/executable.h"
#include "tests/quantize/writers/export_onnx.h"
#include "tests/support/attention.h"
#include "tests/support/memory_data.h"
#include "tests/support/output_error.h"

namespace lpot {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SearchSpace space_of(const Model& model, const QuantizationConfig& config = {}, bool half_range = false) {
  return {allowed_choices(searchable_ops(model), config, recipe_declarations(), half_range).value};
}

std::vector<std::string> names_of(const std::vector<QuantizableOp>& ops) {
  std::vector<std::string> names;
  for (const QuantizableOp& op : ops) names.push_back(op.name);
  return names;
}

// Two samples of different lengths, so that the shape of the scores differs.
Statistics calibrated(const Model& model) {
  return observe(model, observation_points(model),
                 loader_of(unlabelled({random_tensor({6, 128}, 1), random_tensor({9, 128}, 2)})), {})
      .snapshots.back();
}

double error(const Model& model, const Model& exact) {
  return output_error(model, exact, random_tensor({2, 6, 128}, 5));
}

// A plan with only the products of activations in int8.
Plan only_products(const Model& model) {
  const SearchSpace space = space_of(model);
  Plan plan = space.plan(space.model_choices.front());
  plan.recipes = {};
  for (const QuantizableOp& op : quantizable_ops(model)) plan.ops.at(op.name) = OpPlan{};
  return plan;
}

TEST(Products, IncludeAttentionScoresButNotTheProductAfterSoftmax) {
  const Model model = attention();
  const auto products = activation_products(model);
  ASSERT_THAT(names_of(products), ElementsAre("scores"));
  EXPECT_EQ(products[0].activation, "query/add") << "before the heads are split";
  EXPECT_EQ(products[0].second, "key/add");
  EXPECT_THAT(names_of(searchable_ops(model)), ElementsAre("query", "key", "value", "out", "scores"));
}

TEST(Products, ExcludeProductsWithWeights) {
  const auto x = parameter({2, 3, 8}, "x");
  const auto weights = std::make_shared<op::Multiply>(
      std::make_shared<op::Convert>(op::Constant::create(ov::element::i8, {1, 8, 4}, std::vector<int>(32, 3)),
                                    ov::element::f32),
      constant({1, 1, 4}, std::vector<float>(4, 0.1f)));
  EXPECT_THAT(activation_products(as_model({std::make_shared<op::MatMul>(x, weights, false, false)}, {x})), IsEmpty());
  EXPECT_THAT(activation_products(
                  as_model({std::make_shared<op::MatMul>(x, random_constant({1, 8, 4}, 1), false, false)}, {x})),
              IsEmpty());
}

// x times its transpose, and the ops after it.
using AfterProduct = std::function<ov::OutputVector(const std::shared_ptr<ov::Node>& product)>;
std::size_t products_before(const AfterProduct& after) {
  const auto x = parameter({-1, 4, 8, 8}, "x");
  const auto squares = named(std::make_shared<op::MatMul>(x, std::make_shared<op::Relu>(x), false, true), "product");
  return activation_products(as_model(after(squares), {x})).size();
}

std::shared_ptr<ov::Node> scaled_by(const ov::Output<ov::Node>& tensor, const ov::Shape& shape) {
  return std::make_shared<op::Multiply>(tensor, random_constant(shape, 1));
}

TEST(Products, ExcludeThoseThatTheRuntimeComputesWrongly) {
  using Outputs = ov::OutputVector;
  EXPECT_EQ(products_before([](const auto& p) { return Outputs{scaled_by(p, {})}; }), 1u);
  EXPECT_EQ(products_before([](const auto& p) { return Outputs{scaled_by(p, {1, 1, 1, 8})}; }), 0u);
  EXPECT_EQ(products_before([](const auto& p) {
              return Outputs{scaled_by(std::make_shared<op::Relu>(scaled_by(p, {})), {8, 1})};
            }),
            0u);
  EXPECT_EQ(products_before([](const auto& p) { return Outputs{scaled_by(p, {}), scaled_by(p, {1})}; }), 0u);
  EXPECT_EQ(products_before([](const auto& p) {
              return Outputs{scaled_by(p, {}), std::make_shared<op::ShapeOf>(p)};
            }),
            1u);
}

TEST(Products, ExcludeThoseWhoseChannelsSmoothQuantMayDivide) {
  EXPECT_EQ(products_before(
                [](const auto& p) { return ov::OutputVector{product(std::make_shared<op::Relu>(p), 8, 4, "next")}; }),
            0u);
}

TEST(Products, WithWeightsMayOnlyBeScaledAlongTheLastDimension) {
  const auto quantizable = [](const ov::Shape& factors) {
    const auto x = parameter({-1, 4, 8}, "x");
    return quantizable_ops(as_model({scaled_by(product(x, 8, 16, "product"), factors)}, {x})).size();
  };
  EXPECT_EQ(quantizable({1}), 1u);
  EXPECT_EQ(quantizable({1, 1, 16}), 1u);
  EXPECT_EQ(quantizable({1, 4, 1}), 0u);
}

TEST(Products, GetAQuantizerAtBothInputsAndStayCloseToFp32) {
  const Model model = attention();
  const Model int8 = quantize(model, only_products(model), calibrated(model));
  EXPECT_EQ(count_type(int8, "FakeQuantize"), 2u);
  EXPECT_LT(error(int8, model), 0.06) << "softmax amplifies the noise of scores up to 20";
  EXPECT_GT(error(int8, model), 0);
}

TEST(Products, HaveSymmetricRanges) {
  const Model model = attention();
  const Edits edits = resolve(model, only_products(model), calibrated(model));
  ASSERT_EQ(edits.products.size(), 1u);
  for (const Range& levels : edits.products[0].levels) EXPECT_NEAR(levels.low / levels.high, -128.0f / 127.0f, 1e-5f);
  EXPECT_THAT(message_of<DataError>([&] { resolve(model, only_products(model), {}); }), HasSubstr("query/add"));
}

TEST(Products, CanFallBackToFp32) {
  const Model model = attention();
  Plan plan = only_products(model);
  plan.ops.at("scores") = OpPlan{};
  EXPECT_EQ(count_type(quantize(model, plan, calibrated(model)), "FakeQuantize"), 0u);
}

// With int8 scores, if attention is fused into one kernel, the quantizer of its result is after the reshape that joins
// the heads.
TEST(Products, DetermineWhereTheResultOfAttentionIsQuantized) {
  const auto quantizers = [](const Model& model, bool int8_scores) {
    const SearchSpace space = space_of(model);
    Plan plan = space.plan(space.model_choices.front());
    plan.recipes = {};
    for (auto& [name, op] : plan.ops)
      if (name != "scores") op.weight.bits = 7;  // no kernel saturates on any CPU
    if (!int8_scores) plan.ops.at("scores") = OpPlan{};
    const Model int8 = quantize(model, plan, calibrated(model));
    EXPECT_LT(error(int8, model), 0.1);
    std::vector<std::string> names;
    for (const OpInfo& op : list_ops(int8))
      if (op.type == "FakeQuantize") names.push_back(op.name);
    return names;
  };
  EXPECT_THAT(quantizers(attention(), true), Contains("joined/quantize"));
  EXPECT_THAT(quantizers(attention(), false), Contains("mix/quantize"));
  EXPECT_THAT(quantizers(attention({.reshaped_shares = true}), true), Contains("mix/quantize"));
}

TEST(Products, AddNoModelWideSchemes) {
  const Model model = attention();
  EXPECT_EQ(space_of(model).model_choices,
            allowed_choices(quantizable_ops(model), {}, recipe_declarations(), false).value.model_choices);
}

TEST(Products, StayInFp32With16BitSumsOrWeightOnlyQuantization) {
  const Model model = attention();
  QuantizationConfig dynamic;
  dynamic.approach = Approach::DynamicQuantization;
  for (const SearchSpace& space : {space_of(model, {}, true), space_of(model, dynamic)}) {
    ASSERT_EQ(space.ops.back().name, "scores");
    EXPECT_THAT(space.ops.back().choices, ElementsAre(OpPlan{}));
  }
}

TEST(Products, StayInFp32IfTheConfigAllowsNoScheme) {
  QuantizationConfig config;
  config.model_wise.activation.symmetries = {Symmetry::Asymmetric};
  config.model_wise.activation.precisions = {Precision::Uint8};
  EXPECT_THAT(space_of(attention(), config).ops.back().choices, ElementsAre(OpPlan{}));
  QuantizationConfig weights;
  weights.model_wise.weight.granularities = {Granularity::PerTensor};
  EXPECT_EQ(space_of(attention(), weights).ops.back().choices.size(), 3u) << "products have no weights";
}

TEST(BalancedScores, GiveQueriesAndKeysTheSameMagnitudePerChannel) {
  for (const bool computed : {false, true}) {
    const auto pairs = factor_pairs(attention({.computed_shapes = computed}));
    ASSERT_EQ(pairs.size(), 1u) << computed;
    EXPECT_EQ(pairs[0].product, "scores");
    EXPECT_THAT(pairs[0].kernels, ElementsAre("query", "key"));
    EXPECT_THAT(pairs[0].biases, ElementsAre("query/bias", "key/bias"));
  }
}

TEST(BalancedScores, AreExactInFp32AndReduceTheErrorOfOutliers) {
  const Model model = attention({.query_outlier = 60});
  const Statistics statistics = calibrated(model);
  Plan plan = only_products(model);
  const double plain = error(quantize(model, plan, statistics), model);
  plan.recipes.set("smooth_quant", true);
  const Edits edits = resolve(model, plan, statistics);
  EXPECT_LT(4 * error(apply(model, edits), model), plain);
  Edits exact;
  exact.constants = edits.constants;
  ASSERT_EQ(exact.constants.size(), 4u) << "weights and biases of queries and keys";
  EXPECT_LT(error(apply(model, exact), model), 1e-5);
}

class ProductsInOnnx : public ExportOnnx {};

TEST_F(ProductsInOnnx, HaveQuantizersAtBothInputs) {
  OnnxFile file;
  file.input("x", {2, 3, 6});
  file.input("y", {2, 6, 4});
  file.output("z", {2, 3, 4});
  file.node("MatMul", "product", {"x", "y"}, "p");
  file.node("Relu", "relu", {"p"}, "z");
  const Model model = load(file);
  ASSERT_THAT(names_of(activation_products(model)), ElementsAre("product"));
  Edits edits;
  edits.products = {{.op = "product", .levels = {kSymmetric, kSymmetric}}};
  const OnnxFile written = write(model, edits);
  EXPECT_THAT(written.nodes(), Contains("QuantizeLinear x/quantized"));
  EXPECT_THAT(written.nodes(), Contains("QuantizeLinear y/quantized"));
  expect_same_outputs(model, {exact_tensor({2, 3, 6}, kStep, 3), exact_tensor({2, 6, 4}, kStep, 4)});
}

}  // namespace
}  // namespace lpot
