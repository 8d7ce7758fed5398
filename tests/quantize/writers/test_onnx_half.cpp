#include <cstring>
#include <openvino/core/type/float16.hpp>

#include "lpot/quantize/writers/onnx_half.h"
#include "lpot/runtime/executable.h"
#include "tests/quantize/writers/export_onnx.h"

namespace lpot {
namespace {

constexpr auto kHalf = onnx::TensorProto_DataType_FLOAT16;

std::vector<std::uint16_t> half_bits(const onnx::TensorProto& tensor) {
  std::vector<float> values(tensor.raw_data().size() / sizeof(float));
  std::memcpy(values.data(), tensor.raw_data().data(), tensor.raw_data().size());
  std::vector<std::uint16_t> bits;
  for (const float value : values) bits.push_back(ov::float16(value).to_bits());
  return bits;
}

// As tools that convert a model to float16 do: everything that was f32 becomes f16.
OnnxFile in_half(OnnxFile file, bool as_raw_data) {
  onnx::GraphProto& graph = *file.model.mutable_graph();
  for (onnx::TensorProto& tensor : *graph.mutable_initializer()) {
    const std::vector<std::uint16_t> bits = half_bits(tensor);
    tensor.set_data_type(kHalf);
    tensor.clear_raw_data();
    if (as_raw_data) {
      tensor.set_raw_data(bits.data(), bits.size() * sizeof(std::uint16_t));
    } else {
      tensor.mutable_int32_data()->Add(bits.begin(), bits.end());
    }
  }
  for (auto* values : {graph.mutable_input(), graph.mutable_output()})
    for (onnx::ValueInfoProto& value : *values) value.mutable_type()->mutable_tensor_type()->set_elem_type(kHalf);
  return file;
}

std::vector<double> outputs_of(const Model& model, const Tensor& input) {
  const Tensor output = Executable(model).infer({input}).at(0);
  std::vector<double> values;
  for (std::size_t i = 0; i < output.size(); ++i) values.push_back(output.value_at(i));
  return values;
}

class ExportHalf : public ExportOnnx, public testing::WithParamInterface<bool> {};

TEST_P(ExportHalf, QuantizesModelsThatComputeInHalfPrecision) {
  const Model model = load(in_half(conv_with_batch_norm(true), GetParam()));
  const Edits edits = int8_edits(model, kSymmetric);
  ASSERT_EQ(edits.ops.size(), 1u);
  const OnnxFile written = write(model, edits);
  EXPECT_THAT(written.constants(kHalf), testing::IsEmpty());
  EXPECT_THAT(written.constants(kInt8), testing::Contains("w/int8"));
  EXPECT_EQ(written.nodes().front(), "Cast x/float32/cast");
  EXPECT_EQ(written.nodes().back(), "Cast y/cast");
  const onnx::NodeProto& last = *written.model.graph().node().rbegin();
  EXPECT_EQ(int_attribute(last, "to", 0), kHalf);
  for (const auto& values : {written.model.graph().input(), written.model.graph().output()})
    EXPECT_EQ(values[0].type().tensor_type().elem_type(), kHalf);
  Tensor image(ElementType::F16, {1, 3, 6, 6});
  const Tensor exact = exact_tensor({1, 3, 6, 6}, kStep, 3);
  std::copy_n(exact.data<float>(), exact.size(), reinterpret_cast<ov::float16*>(image.bytes()));
  EXPECT_THAT(outputs_of(load_model(folder_ / "int8.onnx"), image),
              testing::Pointwise(testing::DoubleNear(0.02), outputs_of(model, image)));
}

INSTANTIATE_TEST_SUITE_P(, ExportHalf, testing::Bool(),
                         [](const auto& test) { return test.param ? "RawData" : "Int32Data"; });

TEST_F(ExportOnnx, CastsConstantOutputsToHalfPrecision) {
  OnnxFile file = conv_with_batch_norm(true);
  file.output("b", {4});
  const Model model = load(in_half(file, true));
  const OnnxFile written = write(model, int8_edits(model, kSymmetric));
  EXPECT_THAT(written.constants(kHalf), testing::IsEmpty());
  Tensor image(ElementType::F16, {1, 3, 6, 6});
  const auto expected = Executable(model).infer({image}),
             found = Executable(load_model(folder_ / "int8.onnx")).infer({image});
  EXPECT_EQ(found.at(1).element_type(), ElementType::F16);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(found.at(1).value_at(i), expected.at(1).value_at(i));
}

// x -> f16 -> convolution -> f32 -> relu -> f16 -> convolution -> f32 -> y
TEST_F(ExportOnnx, RemovesCastsBetweenPrecisions) {
  OnnxFile file;
  file.constant("w1", {3, 3, 3, 3}, exact_weights({3, 3, 3, 3}, 0, 1));
  file.constant("w2", {3, 3, 3, 3}, exact_weights({3, 3, 3, 3}, 0, 2));
  file = in_half(file, true);
  file.input("x", {1, 3, 8, 8});
  file.output("y", {1, 3, 4, 4});
  const auto cast = [&](const std::string& from, const std::string& to, std::int64_t type) {
    set_attribute(file.node("Cast", to + ".cast", {from}, to), "to", type);
  };
  cast("x", "x16", kHalf);
  file.node("Conv", "first", {"x16", "w1"}, "c16");
  cast("c16", "c", onnx::TensorProto_DataType_FLOAT);
  file.node("Relu", "relu", {"c"}, "r");
  cast("r", "r16", kHalf);
  file.node("Conv", "second", {"r16", "w2"}, "y16");
  cast("y16", "y", onnx::TensorProto_DataType_FLOAT);
  const Model model = load(file);
  const Edits edits = int8_edits(model, kSymmetric);
  ASSERT_EQ(edits.ops.size(), 2u);
  const std::vector<std::string> nodes = write(model, edits).nodes();
  EXPECT_EQ(
      std::count(nodes.begin(), nodes.end(), "Cast c.cast") + std::count(nodes.begin(), nodes.end(), "Cast r16.cast"),
      0);
  Edits first = edits;
  first.ops.pop_back();
  write(model, first);
  expect_same_outputs(model, {exact_tensor({1, 3, 8, 8}, kStep, 3)}, 2e-2f);
}

TEST_F(ExportOnnx, LeavesWeightsThatAreOnlyStoredInHalfPrecision) {
  OnnxFile file = in_half(product_with_bias(), true);
  onnx::GraphProto& graph = *file.model.mutable_graph();
  for (auto* values : {graph.mutable_input(), graph.mutable_output()})
    for (onnx::ValueInfoProto& value : *values)
      value.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto_DataType_FLOAT);
  const auto nodes = graph.node();
  graph.clear_node();
  for (const std::string name : {"w", "b"})
    set_attribute(file.node("Cast", name + ".cast", {name}, name + ".single"), "to", std::int64_t{1});
  for (onnx::NodeProto node : nodes) {
    for (std::string& input : *node.mutable_input())
      if (input == "w" || input == "b") input += ".single";
    *graph.add_node() = node;
  }
  const OnnxFile written = write(load(file), {});
  EXPECT_THAT(written.constants(kHalf), testing::ElementsAre("w", "b"));
}

}  // namespace
}  // namespace lpot
