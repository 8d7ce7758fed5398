#include "lpot/quantize/writers/openvino.h"
#include "tests/quantize/writers/export_onnx.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Not;
using ::testing::Pointwise;
using ::testing::UnorderedElementsAre;

TEST_F(ExportOnnx, FoldsBatchNormIntoInt8WeightsAndBias) {
  const OnnxFile written = check_all_int8(conv_with_batch_norm(), {1, 3, 6, 6});
  EXPECT_THAT(written.nodes(),
              UnorderedElementsAre("QuantizeLinear x/quantized", "DequantizeLinear x/dequantized",
                                   "DequantizeLinear w/dequantized", "DequantizeLinear conv/bias/dequantized",
                                   "Conv conv", "Relu relu"));
  EXPECT_THAT(written.constants(kInt8), UnorderedElementsAre("w/int8", "w/zero_point"));
  // The kernels of ONNX Runtime need one type for all activations.
  EXPECT_THAT(written.constants(onnx::TensorProto_DataType_UINT8), ElementsAre("x/zero_point"));
  EXPECT_EQ(static_cast<std::uint8_t>(written.constant("x/zero_point").raw_data().at(0)), 128);
  EXPECT_THAT(written.constants(onnx::TensorProto_DataType_FLOAT),
              UnorderedElementsAre("w/scale", "x/scale", "conv/bias/scale"))
      << "fp32 weights or batch norm constants remain";
}

TEST_F(ExportOnnx, FoldsTheBiasOfAConvolutionWithItsBatchNorm) {
  const OnnxFile written = check_all_int8(conv_with_batch_norm(true), {1, 3, 6, 6}, kAsymmetric);
  EXPECT_THAT(written.constants(onnx::TensorProto_DataType_UINT8), ElementsAre("x/zero_point"));
}

TEST_F(ExportOnnx, DoesNotChangeOpsWithoutAnEdit) {
  const OnnxFile file = conv_with_batch_norm();
  const Model model = load(file);
  const OnnxFile written = write(model, {});
  EXPECT_EQ(written.model.SerializeAsString(), file.model.SerializeAsString());
}

// Some models can only be read with these shapes.
TEST_F(ExportOnnx, WritesTheInputShapesOfTheConfiguration) {
  OnnxFile file = conv_with_batch_norm();
  auto& dimensions = *file.model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
  for (const int i : {0, 2}) dimensions.mutable_shape()->mutable_dim(i)->set_dim_param("n");
  const auto path = file.write(folder_ / "fp32.onnx");
  write(load_model(path, {.input_shapes = {{"x", {4, 3, -1, 6}}}}), {});
  EXPECT_EQ(model_inputs(load_model(folder_ / "int8.onnx"))[0].describe(), "x f32 [4,3,?,6]");
}

TEST_F(ExportOnnx, ConvertsGroupedWeightsToTheFileLayout) {
  OnnxFile file;
  file.input("x", {1, 4, 5, 5});
  file.output("y", {1, 8, 3, 3});
  file.constant("w", {8, 2, 3, 3}, exact_weights({8, 2, 3, 3}, 0, 1));
  set_attribute(file.node("Conv", "grouped", {"x", "w"}, "y"), "group", std::int64_t{2});
  const OnnxFile written = check_all_int8(file, {1, 4, 5, 5});
  EXPECT_THAT(written.constant("w/int8").dims(), ElementsAre(8, 2, 3, 3));
}

TEST_F(ExportOnnx, WritesABiasAndAPositionEmbedding) {
  OnnxFile file;
  file.input("x", {1, 3, 6, 6});
  file.output("y", {1, 4, 4, 4});
  file.constant("w", {4, 3, 3, 3}, exact_weights({4, 3, 3, 3}, 0, 1));
  file.constant("b", {4}, ramp(4, -0.5f, 0.3f));
  file.constant("positions", {1, 4, 4, 4}, ramp(64, -1.0f, 0.03f));
  file.node("Conv", "patches", {"x", "w", "b"}, "p");
  file.node("Add", "embedded", {"p", "positions"}, "y");
  const OnnxFile written = check_all_int8(file, {1, 3, 6, 6});
  EXPECT_THAT(written.nodes(), Contains("DequantizeLinear b/dequantized"));
}

TEST_F(ExportOnnx, ScalesTransposedConvolutionsAlongTheirSecondDimension) {
  OnnxFile file;
  file.input("x", {1, 3, 4, 4});
  file.output("y", {1, 5, 5, 5});
  file.constant("w", {3, 5, 2, 2}, exact_weights({3, 5, 2, 2}, 1, 1));
  file.constant("b", {5}, ramp(5, 0.1f, 0.2f));
  file.node("ConvTranspose", "up", {"x", "w", "b"}, "y");
  const OnnxFile written = check_all_int8(file, {1, 3, 4, 4});
  EXPECT_THAT(written.nodes(), Contains("ConvTranspose up"));
}

TEST_F(ExportOnnx, FoldsAlphaAndBetaOfGemmInBothLayouts) {
  for (const std::int64_t transposed : {0, 1}) {
    OnnxFile file;
    file.input("x", {2, 6});
    file.output("y", {2, 4});
    const Dims dims = transposed ? Dims{4, 6} : Dims{6, 4};
    file.constant("w", dims, exact_weights(dims, transposed ? 0 : 1, 2));
    file.constant("b", {1, 4}, ramp(4, -1.0f, 0.4f));
    onnx::NodeProto& gemm = file.node("Gemm", "gemm", {"x", "w", "b"}, "y");
    set_attribute(gemm, "transB", transposed);
    set_attribute(gemm, "alpha", 0.5f);
    set_attribute(gemm, "beta", 3.0f);
    const OnnxFile written = check_all_int8(file, {2, 6});
    EXPECT_THAT(written.nodes(), Contains("Gemm gemm"));
  }
}

TEST_F(ExportOnnx, KeepsTheAdditionAfterAMatrixProduct) {
  const OnnxFile written = check_all_int8(product_with_bias(), {2, 3, 6});
  EXPECT_THAT(written.nodes(), AllOf(Contains("MatMul product"), Contains("Add add")));
  EXPECT_THAT(written.constants(onnx::TensorProto_DataType_FLOAT), Contains("b"));
}

TEST_F(ExportOnnx, FindsNodesWithoutNames) { check_all_int8(product_with_bias(""), {2, 3, 6}); }

TEST_F(ExportOnnx, TransposesWeightsThatTheFileComputes) {
  OnnxFile file;
  file.input("x", {2, 6});
  file.output("y", {2, 4});
  file.constant("w", {4, 6}, exact_weights({4, 6}, 0, 1));
  file.node("Transpose", "turn", {"w"}, "turned");
  file.node("MatMul", "product", {"x", "turned"}, "y");
  const OnnxFile written = check_all_int8(file, {2, 6});
  EXPECT_THAT(written.nodes(), Not(Contains("Transpose turn")));
}

TEST_F(ExportOnnx, AddsTheEditsBiasToEveryKindOfKernel) {
  OnnxFile file;
  file.input("x", {2, 3, 6, 6});
  file.output("conv", {2, 4, 6, 6});
  file.output("product", {2, 3, 6, 4});
  file.output("gemm", {2, 4});
  file.constant("w", {4, 3, 1, 1}, exact_weights({4, 3, 1, 1}, 0, 1));
  file.constant("wp", {6, 4}, exact_weights({6, 4}, 1, 2));
  file.constant("wg", {108, 4}, exact_weights({108, 4}, 1, 3));
  file.node("Conv", "c", {"x", "w"}, "conv");
  file.node("MatMul", "p", {"x", "wp"}, "product");
  file.node("Flatten", "f", {"x"}, "flat");
  file.node("Gemm", "g", {"flat", "wg"}, "gemm");
  const Model model = load(file);
  Edits edits = int8_edits(model, kSymmetric);
  ASSERT_EQ(edits.ops.size(), 3u);
  for (OpEdit& edit : edits.ops) edit.bias = {1, 2, 3, 4};
  write(model, edits);

  const std::vector<Tensor> inputs{exact_tensor({2, 3, 6, 6}, kStep, 5)};
  auto expected = run_plainly(model.graph, inputs);
  const auto found = run_plainly(load_model(folder_ / "int8.onnx").graph, inputs);
  for (std::size_t i = 0; i < expected[0].size(); ++i) expected[0][i] += static_cast<float>(1 + i / 36 % 4);
  for (const std::size_t output : {1, 2})
    for (std::size_t i = 0; i < expected[output].size(); ++i) expected[output][i] += static_cast<float>(1 + i % 4);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_THAT(found[i], Pointwise(FloatNear(1e-3f), expected[i]));
}

TEST_F(ExportOnnx, DividesChannelsBeforeTheQuantizer) {
  const Model model = load(product_with_bias());
  Edits edits = int8_edits(model, {-4.0f * 128 / 127, 4.0f});
  OpEdit& edit = edits.ops.at(0);
  edit.input_divisors = {1, 2, 0.5f, 1, 4, 1};
  Shape shape;
  std::vector<float> weights = weights_of(model, quantizable_ops(model).at(0), shape);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= edit.input_divisors[i / 4];
  edit.weights = quantize_weights(weights, shape, {1},
                                  {.granularity = Granularity::PerChannel, .symmetry = Symmetry::Symmetric, .bits = 8});
  const OnnxFile written = write(model, edits);
  EXPECT_THAT(written.nodes(), Contains("Mul x/smoothed"));
  expect_same_outputs(model, {exact_tensor({2, 3, 6}, kStep, 3)}, 0.3f);
}

TEST_F(ExportOnnx, DividesConvolutionInputsAlongTheSecondDimension) {
  const Model model = load(conv_with_batch_norm());
  Edits edits = int8_edits(model, kSymmetric);
  edits.ops.at(0).input_divisors = {1, 2, 4};
  write(model, edits);
  const OnnxFile written = OnnxFile::read(folder_ / "int8.onnx");
  EXPECT_THAT(written.constant("x/smooth").dims(), ElementsAre(3, 1, 1));
  EXPECT_EQ(model_outputs(load_model(folder_ / "int8.onnx")).at(0).describe(), "y f32 [1,4,4,4]");
}

// The constant has values for rows too, so it is not a bias of the kernel.
TEST_F(ExportOnnx, ReplacesAConstantAfterAKernelThatIsNotItsBias) {
  OnnxFile file;
  file.input("x", {2, 3, 6});
  file.output("y", {2, 3, 4});
  file.constant("w", {6, 4}, exact_weights({6, 4}, 1, 1));
  file.constant("b", {3, 4}, ramp(12, -1.0f, 0.4f));
  file.node("MatMul", "product", {"x", "w"}, "p");
  file.node("Add", "add", {"p", "b"}, "y");
  const Model model = load(file);
  Edits edits = int8_edits(model, kSymmetric);
  ASSERT_EQ(edits.ops.size(), 1u);
  edits.constants.push_back({"b", ramp(12, 7.0f, 0.5f)});
  write(model, edits);
  const std::vector<Tensor> inputs{exact_tensor({2, 3, 6}, kStep, 3)};
  EXPECT_THAT(run_plainly(load_model(folder_ / "int8.onnx").graph, inputs)[0],
              Pointwise(FloatNear(1e-3f), run_plainly(apply(model, edits).graph, inputs)[0]));
}

}  // namespace
}  // namespace lpot
