// int8 kernels without bias that several ops read: OpenVINO computes them wrongly with dynamic shapes.
#include "lpot/quantize/graph/bias.h"
#include "lpot/quantize/graph/op_index.h"
#include "tests/quantize/graph/quantized_graph.h"
#include "tests/quantize/writers/export_onnx.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::FloatNear;
using ::testing::Pointwise;

std::shared_ptr<ov::Node> kernel_of_type(const std::string& type, const ov::Output<ov::Node>& input) {
  const ov::Strides one{1, 1};
  const ov::CoordinateDiff pads{1, 1};
  if (type == "Convolution") return conv3x3(input, 4, 4, "k", 2);
  if (type == "GroupConvolution")
    return named(
        std::make_shared<op::GroupConvolution>(input, random_constant({4, 1, 1, 3, 3}, 3), one, pads, pads, one), "k");
  if (type == "ConvolutionBackpropData")
    return named(
        std::make_shared<op::ConvolutionBackpropData>(input, random_constant({4, 4, 3, 3}, 4), one, pads, pads, one),
        "k");
  return product(input, 8, 8, "k", 5);
}

// a -> relu -> k -> affine -> relu -> b, and k + b
Model residual_block(const std::string& type, const std::shared_ptr<ov::Node>& bias = nullptr) {
  const auto x = parameter({-1, 4, 8, 8}, "x");
  const auto first = std::make_shared<op::Relu>(conv3x3(x, 4, 4, "a", 1));
  std::shared_ptr<ov::Node> k = kernel_of_type(type, first);
  if (bias) k = named(std::make_shared<op::Add>(k, bias), "k/bias");
  const auto scaled = std::make_shared<op::Multiply>(k, random_constant({1, 4, 1, 1}, 6, 0.5f, 1.5f));
  const auto affine = std::make_shared<op::Add>(scaled, random_constant({1, 4, 1, 1}, 7));
  const auto b = conv3x3(std::make_shared<op::Relu>(affine), 4, 4, "b", 8);
  return as_model({named(std::make_shared<op::Add>(b, k), "sum")}, {x});
}

void expect_same_as_static(const Model& int8) {
  const std::vector<Tensor> images{random_tensor({16, 4, 8, 8}, 9)};
  const auto with_dynamic_shapes = run_plainly(int8.graph, images);
  const Model fixed = int8.clone();
  fixed.graph->reshape(ov::PartialShape{16, 4, 8, 8});
  const auto expected = run_plainly(fixed.graph, images);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_THAT(with_dynamic_shapes[i], Pointwise(FloatNear(1e-3f), expected[i]));
}

class SeveralReadersOf : public testing::TestWithParam<const char*> {};

TEST_P(SeveralReadersOf, ComputesTheSameWithDynamicShapes) {
  expect_same_as_static(Quantized(residual_block(GetParam())).int8);
}

INSTANTIATE_TEST_SUITE_P(, SeveralReadersOf,
                         testing::Values("Convolution", "GroupConvolution", "ConvolutionBackpropData", "MatMul"),
                         [](const auto& test) { return test.param; });

TEST(SeveralReaders, ReplacesABiasOfZeros) {
  const Quantized quantized(residual_block("Convolution", constant({1, 4, 1, 1}, {0, 0, 0, 0})));
  expect_same_as_static(quantized.int8);
}

TEST(SeveralReaders, KeepsOtherBiases) {
  const Quantized quantized(residual_block("Convolution", constant({1, 4, 1, 1}, {0, 0.5f, 0, 0})));
  const OpEdit& edit = quantized.edits.ops.at(1);
  ASSERT_TRUE(edit.needs_bias);
  const OpIndex ops(*quantized.int8.graph, "test");
  const auto bias = find_bias(*ops.find("k", "Convolution"));
  ASSERT_TRUE(bias.has_value());
  EXPECT_THAT(bias->values(4), ElementsAreArray(rounded_bias({0, 0.5f, 0, 0}, edit)));
}

TEST(SeveralReaders, AddsOneLevelToTheFirstChannel) {
  const Quantized quantized(residual_block("Convolution"));
  EXPECT_FALSE(quantized.edits.ops.at(0).needs_bias);  // `a` has one reader
  const OpEdit& edit = quantized.edits.ops.at(1);
  const OpIndex ops(*quantized.model.graph, "test");
  const std::vector<float> bias = complete_bias({}, *ops.find("k", "Convolution"), edit);
  ASSERT_EQ(bias.size(), 4u);
  const auto integers = integer_bias(bias, edit);
  ASSERT_TRUE(integers.has_value());
  EXPECT_THAT(integers->integers, ElementsAre(1, 0, 0, 0));
}

TEST_F(ExportOnnx, WritesTheBiasOfAConvolutionWithSeveralReaders) {
  OnnxFile file;
  file.input("x", {16, 4, 8, 8});
  file.output("y", {16, 4, 8, 8});
  file.constant("w", {4, 4, 1, 1}, random_values(16, 1));
  file.constant("v", {4, 4, 1, 1}, random_values(16, 2));
  file.node("Conv", "first", {"x", "w"}, "a");
  file.node("Relu", "relu", {"a"}, "r");
  file.node("Conv", "second", {"r", "v"}, "b");
  file.node("Add", "sum", {"a", "b"}, "y");
  const Model model = load(file);
  Edits edits = int8_edits(model, kAsymmetric);
  mark_needed_biases(model, edits);
  const OnnxFile written = write(model, edits);
  EXPECT_THAT(written.constants(onnx::TensorProto_DataType_INT32), testing::Contains("first/bias/int32"));
  const std::vector<Tensor> images{random_tensor({16, 4, 8, 8}, 3)};
  EXPECT_EQ(run_plainly(load_model(folder_ / "int8.onnx").graph, images),
            run_plainly(apply(model, edits).graph, images));
}

}  // namespace
}  // namespace lpot
