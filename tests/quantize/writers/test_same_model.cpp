// The OpenVINO model and the ONNX file of a plan compute the same outputs, bit by bit. Small differences are not
// harmless: they change the rounding of some values in each quantizer, and a noisy int8 model amplifies that.
#include "lpot/calibrate/observe.h"
#include "lpot/quantize/graph/bias.h"
#include "lpot/quantize/graph/onnx_runtime_reads.h"
#include "lpot/quantize/graph/op_index.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/runtime/executable.h"
#include "tests/quantize/writers/export_onnx.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using ::testing::Each;
using ::testing::ElementsAreArray;

Tensor random_image(unsigned seed, std::size_t batch) {
  const auto values = random_values(batch * 4 * 8 * 8, seed, -0.7f, 1.9f);
  return batch == 1 ? Tensor::from<float>({4, 8, 8}, values) : Tensor::from<float>({batch, 4, 8, 8}, values);
}

std::vector<float> outputs_of(const Model& model, const Tensor& input) {
  const Tensor output = Executable(model).infer({input}).at(0);
  return {output.data<float>(), output.data<float>() + output.size()};
}

class SameModel : public ExportOnnx {
 protected:
  // Adds a convolution with bias and batch norm, whose weights are not int8 levels.
  void add_convolution(const std::string& input, const std::string& output) {
    const unsigned seed = ++seed_;
    file_.constant(output + ".w", {4, 4, 3, 3}, random_values(4 * 4 * 9, seed, -0.3f, 0.4f));
    file_.constant(output + ".b", {4}, random_values(4, seed + 100));
    file_.node("Conv", output + ".conv", {input, output + ".w", output + ".b"}, output + ".c");
    onnx::NodeProto& conv = *file_.model.mutable_graph()->mutable_node(file_.model.graph().node_size() - 1);
    onnx::AttributeProto& pads = *conv.add_attribute();
    pads.set_name("pads");
    pads.set_type(onnx::AttributeProto_AttributeType_INTS);
    for (int i = 0; i < 4; ++i) pads.add_ints(1);
    add_batch_norm(file_, output + ".c", output, 4);
  }

  // Convolutions with residual sums, max pooling, and a matrix product with bias.
  Model network() {
    file_.input("x", {16, 4, 8, 8});
    file_.output("y", {16, 4, 4, 3});
    add_convolution("x", "a");
    file_.node("Relu", "relu", {"a"}, "r0");
    for (int i = 0; i < 4; ++i) {
      const std::string before = "r" + std::to_string(i), inner = "i" + std::to_string(i);
      add_convolution(before, inner);
      add_convolution(inner, "o" + inner);
      file_.node("Add", "sum" + inner, {before, "o" + inner}, "r" + std::to_string(i + 1));
    }
    file_.node("MaxPool", "pool", {"r4"}, "p");
    onnx::NodeProto& pool = *file_.model.mutable_graph()->mutable_node(file_.model.graph().node_size() - 1);
    for (const std::string name : {"kernel_shape", "strides"}) {
      onnx::AttributeProto& attribute = *pool.add_attribute();
      attribute.set_name(name);
      attribute.set_type(onnx::AttributeProto_AttributeType_INTS);
      for (int i = 0; i < 2; ++i) attribute.add_ints(2);
    }
    file_.constant("w", {4, 3}, random_values(12, 50));
    file_.constant("b", {3}, random_values(3, 51));
    file_.node("MatMul", "product", {"p", "w"}, "m");
    file_.node("Add", "bias", {"m", "b"}, "y");
    return load(file_);
  }

  // A dense block: batch norms read the concatenations.
  // The concatenated tensors have similar ranges, so that they can share their levels.
  Model dense_network() {
    file_.input("x", {16, 4, 8, 8});
    file_.output("y", {16, 4, 8, 8});
    add_convolution("x", "a");
    file_.node("Relu", "relu", {"a"}, "r0");
    add_scaled_convolution("r0", 4, "b", 2.0f);
    add_concat({"r0", "b"}, "r1");
    add_scaled_convolution("r1", 8, "c", 1.2f);
    add_concat({"r1", "c"}, "r2");
    add_scaled_convolution("r2", 12, "y", 1.0f);
    return load(file_);
  }

  // Batch norm, ReLU and a convolution to 4 channels.
  void add_scaled_convolution(const std::string& input, std::size_t channels, const std::string& output, float scale) {
    add_batch_norm(file_, input, output + ".n", channels);
    file_.node("Relu", output + ".relu", {output + ".n"}, output + ".r");
    file_.constant(output + ".w", {4, static_cast<std::int64_t>(channels), 1, 1},
                   random_values(4 * channels, ++seed_, -0.3f * scale, 0.4f * scale));
    file_.node("Conv", output + ".conv", {output + ".r", output + ".w"}, output);
  }

  void add_concat(const std::vector<std::string>& inputs, const std::string& output) {
    file_.node("Concat", output + ".concat", inputs, output);
    onnx::NodeProto& concat = *file_.model.mutable_graph()->mutable_node(file_.model.graph().node_size() - 1);
    onnx::AttributeProto& axis = *concat.add_attribute();
    axis.set_name("axis");
    axis.set_type(onnx::AttributeProto_AttributeType_INT);
    axis.set_i(1);
  }

  // Convolutions with SiLU, of which one is split and concatenated, and a global pooling.
  Model sigmoid_network() {
    file_.input("x", {16, 4, 8, 8});
    file_.output("y", {16, 3});
    add_convolution("x", "a");
    add_silu("a");
    add_convolution("a.s", "b");
    file_.node("Identity", "copy", {"b"}, "i");
    add_silu("i");
    set_int(file_.node("Split", "split", {"i.s"}, "b.0"), "axis", 1).add_output("b.1");
    add_concat({"a.s", "b.0", "b.1"}, "c");
    file_.constant("d.w", {4, 8, 1, 1}, random_values(32, 70, -0.3f, 0.4f));
    file_.node("Conv", "d.conv", {"c", "d.w"}, "d");
    file_.node("GlobalAveragePool", "pool", {"d"}, "p");
    set_int(file_.node("Flatten", "flatten", {"p"}, "f"), "axis", 1);
    file_.constant("w", {4, 3}, random_values(12, 50));
    file_.node("MatMul", "product", {"f", "w"}, "y");
    return load(file_);
  }

  void add_silu(const std::string& input) {
    file_.node("Sigmoid", input + ".sigmoid", {input}, input + ".g");
    file_.node("Mul", input + ".mul", {input, input + ".g"}, input + ".s");
  }

  static onnx::NodeProto& set_int(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto_AttributeType_INT);
    attribute.set_i(value);
    return node;
  }

  // The ops of the file that compute floats although ONNX Runtime has an int8 kernel: those whose output is not
  // quantized.
  std::vector<std::string> float_ops(const onnx::GraphProto& graph) const {
    std::set<std::string> quantized;
    for (const onnx::NodeProto& node : graph.node())
      if (node.op_type() == "QuantizeLinear") quantized.insert(node.input(0));
    for (const onnx::NodeProto& node : graph.node())
      if (node.op_type() == "Identity" && quantized.contains(node.output(0))) quantized.insert(node.input(0));
    std::vector<std::string> names;
    for (const onnx::NodeProto& node : graph.node())
      if (node.op_type() != "QuantizeLinear" && node.op_type() != "DequantizeLinear" && node.output(0) != "y" &&
          !quantized.contains(node.output(0)))
        names.push_back(node.name());
    return names;
  }

  Edits resolved(const Model& model, const Recipes& recipes) {
    std::vector<Tensor> images;
    for (unsigned i = 0; i < 16; ++i) images.push_back(random_image(i, 1));
    std::vector<ObservationPoint> points = observation_points(model);
    for (const std::string& tensor : tensors_of_onnx_runtime(model))
      if (std::none_of(points.begin(), points.end(), [&](const auto& point) { return point.tensor == tensor; }))
        points.push_back({tensor, 1});
    const Statistics statistics = observe(model, points, loader_of(unlabelled(images), 16), {}).snapshots.back();
    Plan plan;
    plan.recipes = recipes;
    for (const QuantizableOp& op : quantizable_ops(model))
      plan.ops[op.name] = {Precision::Int8,
                           {.symmetry = Symmetry::Asymmetric},
                           {.granularity = Granularity::PerChannel, .symmetry = Symmetry::Symmetric, .bits = 7}};
    return resolve(model, plan, statistics);
  }

  void expect_same_model(const std::vector<std::string>& recipe_names) {
    const Model model = network();
    Recipes recipes;
    for (const std::string& name : recipe_names) recipes.set(name, true);
    const Edits edits = resolved(model, recipes);
    ASSERT_EQ(edits.ops.size(), 10u);
    write(model, edits);
    const Tensor images = random_image(99, 16);
    EXPECT_THAT(outputs_of(load_model(folder_ / "int8.onnx"), images),
                ElementsAreArray(outputs_of(apply(model, edits), images)));
  }

  OnnxFile file_;
  unsigned seed_ = 0;
};

TEST_F(SameModel, WithoutRecipes) { expect_same_model({}); }

TEST_F(SameModel, WithIntegerResidualSums) { expect_same_model({"residual_sums"}); }

TEST_F(SameModel, WithCorrections) { expect_same_model({"residual_sums", "bias_correction", "weight_correction"}); }

TEST_F(SameModel, WithIntegersBeforeBatchNorms) {
  const Model model = dense_network();
  const Edits edits = resolved(model, {});
  ASSERT_THAT(edits.inputs, ::testing::Not(::testing::IsEmpty()));
  write(model, edits);
  const Tensor images = random_image(99, 16);
  EXPECT_THAT(outputs_of(load_model(folder_ / "int8.onnx"), images),
              ElementsAreArray(outputs_of(apply(model, edits), images)));
}

TEST_F(SameModel, WithTheQuantizersThatOnnxRuntimeNeeds) {
  const Model model = sigmoid_network();
  Recipes recipes;
  recipes.set("onnx_runtime", true);
  const Edits edits = resolved(model, recipes);
  EXPECT_EQ(count_float_outputs(model, edits), 0u);
  EXPECT_THAT(float_ops(write(model, edits).model.graph()), ::testing::IsEmpty());
  const Tensor images = random_image(99, 16);
  EXPECT_THAT(outputs_of(load_model(folder_ / "int8.onnx"), images),
              ElementsAreArray(outputs_of(apply(model, edits), images)));

  const Edits plain = resolved(model, {});
  EXPECT_GT(count_float_outputs(model, plain), 0u);
  EXPECT_LT(plain.inputs.size(), edits.inputs.size());
}

// The convolution's outputs are signed, so the padding is not the integer zero.
TEST_F(SameModel, LeavesPaddedAveragesOfSignedValuesInFloat) {
  file_.input("x", {16, 4, 8, 8});
  file_.output("y", {16, 4, 8, 8});
  add_convolution("x", "a");
  onnx::NodeProto& pool = file_.node("AveragePool", "pool", {"a"}, "p");
  set_ints(pool, "kernel_shape", {3, 3});
  set_ints(pool, "pads", {1, 1, 1, 1});
  set_int(pool, "count_include_pad", 1);
  add_convolution("p", "b");
  file_.node("Add", "sum", {"a", "b"}, "y");
  const Model model = load(file_);
  Recipes recipes;
  recipes.set("onnx_runtime", true);
  const Edits edits = resolved(model, recipes);
  EXPECT_THAT(edits.inputs, ::testing::Contains(::testing::Field(&InputEdit::type, "Add")));
  EXPECT_THAT(edits.inputs, Each(::testing::Field(&InputEdit::type, ::testing::Ne("AvgPool"))));
}

TEST_F(SameModel, HasIntegerBiasesInOpenVino) {
  const Model model = network();
  const Edits edits = resolved(model, {});
  const Model int8 = apply(model, edits);
  const OpIndex ops(*int8.graph, "test");
  for (const OpEdit& edit : edits.ops) {
    const auto bias = find_bias(*ops.find(edit.op, edit.type));
    ASSERT_TRUE(bias.has_value()) << edit.op;
    const std::vector<float> values = bias->constant->cast_vector<float>();
    EXPECT_THAT(values, ElementsAreArray(rounded_bias(values, edit))) << edit.op;
    EXPECT_THAT(values, Each(::testing::Ne(0.0f))) << edit.op;
  }
}

OpEdit edit_with_scales(const Range& levels, std::vector<float> scales) {
  OpEdit edit;
  edit.activation = "x";
  edit.levels = levels;
  edit.weights.scales = std::move(scales);
  return edit;
}

TEST(IntegerBias, HasTheUnitOfTheProducts) {
  const OpEdit edit = edit_with_scales({0, 0.5f * 255}, {0.25f, 0.5f});
  const auto bias = integer_bias({1.1f, -0.9f}, edit);
  ASSERT_TRUE(bias.has_value());
  EXPECT_THAT(bias->integers, ::testing::ElementsAre(9, -4));
  EXPECT_THAT(bias->values(), ::testing::ElementsAre(1.125f, -1.0f));
}

TEST(IntegerBias, StaysFloatIfItIsTooLargeOrTheActivationIsFloat) {
  OpEdit edit = edit_with_scales({0, 255}, {1e-12f});
  EXPECT_THAT(rounded_bias({1.1f}, edit), ::testing::ElementsAre(1.1f));
  edit = edit_with_scales({0, 255}, {1});
  EXPECT_THAT(rounded_bias({1.1f}, edit), ::testing::ElementsAre(1.0f));
  edit.activation = "";
  EXPECT_THAT(rounded_bias({1.1f}, edit), ::testing::ElementsAre(1.1f));
}

TEST(FindBias, IgnoresAConstantAlongAnotherDimension) {
  const auto x = parameter({1, 4, 6, 6}, "x");
  const auto along = [&](const ov::Shape& shape) {
    const auto conv = conv3x3(x, 4, 6, "conv");
    const auto sum = std::make_shared<op::Add>(conv, random_constant(shape, 3));
    return find_bias(*conv).has_value();
  };
  EXPECT_TRUE(along({1, 6, 1, 1}));
  EXPECT_TRUE(along({6, 1, 1}));
  EXPECT_TRUE(along({1}));
  EXPECT_FALSE(along({6}));
}

}  // namespace
}  // namespace lpot
