#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/quantize/graph/placement.h"
#include "tests/quantize/writers/export_onnx.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

TEST_F(ExportOnnx, SharesQuantizersAndWeights) {
  OnnxFile file;
  file.input("x", {2, 6});
  file.input("z", {2, 6});
  for (const char* name : {"a", "b", "c"}) file.output(name, {2, 4});
  file.constant("w", {6, 4}, exact_weights({6, 4}, 1, 1));
  file.node("MatMul", "one", {"x", "w"}, "a");
  file.node("MatMul", "two", {"x", "w"}, "b");
  file.node("MatMul", "three", {"z", "w"}, "c");
  const Model model = load(file);
  Edits edits = int8_edits(model, kSymmetric);
  ASSERT_EQ(edits.ops.size(), 3u);
  OnnxFile written = write(model, edits);
  const auto count = [&](const std::string& type) {
    const auto nodes = written.nodes();
    return std::count_if(nodes.begin(), nodes.end(), [&](const auto& node) { return node.starts_with(type + " "); });
  };
  EXPECT_EQ(count("QuantizeLinear"), 2);
  EXPECT_EQ(count("DequantizeLinear"), 3) << "x, z and w";
  expect_same_outputs(model, {exact_tensor({2, 6}, kStep, 3), exact_tensor({2, 6}, kStep, 4)});

  std::find_if(edits.ops.begin(), edits.ops.end(), [](const OpEdit& edit) { return edit.activation == "x"; })->levels =
      kAsymmetric;
  written = write(model, edits);
  EXPECT_EQ(count("QuantizeLinear"), 3) << "other levels need another quantizer";
}

TEST_F(ExportOnnx, ResidualSumsReadIntegersOnBothSides) {
  OnnxFile file;
  file.input("x", {1, 4, 6, 6});
  file.output("y", {1, 4, 6, 6});
  file.constant("w", {4, 4, 1, 1}, exact_weights({4, 4, 1, 1}, 0, 1));
  file.node("Conv", "conv", {"x", "w"}, "c");
  file.node("Add", "residual", {"c", "x"}, "y");
  const Model model = load(file);
  Edits edits = int8_edits(model, kSymmetric);
  const std::vector<ResidualSum> sums = residual_sums(model);
  ASSERT_EQ(sums.size(), 1u);
  for (const std::size_t input : {0, 1}) edits.inputs.push_back({sums[0].op, "Add", input, kSymmetric});
  const OnnxFile written = write(model, edits);
  bool is_there = false;
  for (const onnx::NodeProto& node : written.model.graph().node())
    if (node.name() == "residual") {
      is_there = true;
      EXPECT_THAT(node.input(), ElementsAre("c/dequantized", "x/dequantized"));
    }
  EXPECT_TRUE(is_there);
}

TEST_F(ExportOnnx, ValuePreservingOpsShareTheQuantizerOfAKernel) {
  OnnxFile file;
  file.input("x", {1, 4, 6, 6});
  file.output("y", {1, 4, 6, 6});
  file.output("turned", {6, 6, 4, 1});
  file.constant("w", {4, 4, 1, 1}, exact_weights({4, 4, 1, 1}, 0, 1));
  file.node("Conv", "conv", {"x", "w"}, "y");
  file.node("Transpose", "turn", {"x"}, "between");
  file.node("Relu", "relu", {"between"}, "turned");
  const Model model = load(file);
  Edits edits = int8_edits(model, kSymmetric);
  edits.inputs = {{"turn", "Transpose", 0, kSymmetric}};
  const OnnxFile written = write(model, edits);
  bool is_there = false;
  for (const onnx::NodeProto& node : written.model.graph().node())
    if (node.name() == "turn") {
      is_there = true;
      EXPECT_THAT(node.input(), ElementsAre("x/dequantized"));
    }
  EXPECT_TRUE(is_there);
}

TEST_F(ExportOnnx, KeepsANodeWhoseOriginalOutputHasReaders) {
  OnnxFile file = conv_with_batch_norm();
  file.output("size", {4});
  auto& type = *file.model.mutable_graph()->mutable_output(1)->mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto_DataType_INT64);
  file.node("Shape", "shape", {"c"}, "size");
  const Model model = load(file);
  const OnnxFile written = write(model, int8_edits(model, kSymmetric));
  EXPECT_THAT(written.nodes(), AllOf(Contains("Shape shape"), Contains("Conv conv"), Contains("Conv conv/fp32")));
  load_model(folder_ / "int8.onnx");
}

TEST_F(ExportOnnx, KeepsOuterTensorsThatSubgraphsRead) {
  OnnxFile file = product_with_bias();
  file.input("flag", {}, onnx::TensorProto_DataType_BOOL);
  file.output("chosen", {2, 3, 4});
  onnx::NodeProto& choice = file.node("If", "choice", {"flag"}, "chosen");
  for (const char* branch : {"then_branch", "else_branch"}) {
    onnx::AttributeProto& attribute = *choice.add_attribute();
    attribute.set_name(branch);
    attribute.set_type(onnx::AttributeProto_AttributeType_GRAPH);
    onnx::GraphProto& graph = *attribute.mutable_g();
    graph.set_name(branch);
    *graph.add_node() = build_node(branch[0] == 't' ? "Relu" : "Neg", "", {branch[0] == 't' ? "p" : "y"}, branch);
    OnnxFile::describe(*graph.add_output(), branch, {2, 3, 4}, onnx::TensorProto_DataType_FLOAT);
  }
  const Model model = load(file);
  const OnnxFile written = write(model, int8_edits(model, kSymmetric));
  EXPECT_THAT(written.nodes(), Contains("If choice"));
  load_model(folder_ / "int8.onnx");
}

TEST_F(ExportOnnx, RemovesConstantsFromTheInputsOfOldFiles) {
  OnnxFile file = conv_with_batch_norm();
  file.model.set_ir_version(3);
  file.model.mutable_opset_import(0)->set_version(9);
  for (const onnx::TensorProto& tensor : file.model.graph().initializer())
    file.input(tensor.name(), Dims(tensor.dims().begin(), tensor.dims().end()));
  const OnnxFile written = check_all_int8(file, {1, 3, 6, 6});
  ASSERT_EQ(written.model.graph().input_size(), 1);
  EXPECT_EQ(written.model.graph().input(0).name(), "x");
  EXPECT_EQ(written.model.opset_import(0).version(), 13);
}

TEST_F(ExportOnnx, ReplacesConstantsOfFp32Ops) {
  const Model model = load(conv_with_batch_norm());
  const auto nodes = model.graph->get_ordered_ops();
  Edits edits;
  for (const auto& node : nodes) {
    const auto constant = ov::as_type_ptr<op::Constant>(node);
    if (!constant) continue;
    std::vector<float> values = constant->cast_vector<float>();
    for (float& value : values) value *= 2.0f;
    edits.constants.push_back({constant->get_friendly_name(), values});
  }
  ASSERT_EQ(edits.constants.size(), 2u) << "weights and bias";
  const OnnxFile written = write(model, edits);
  EXPECT_THAT(written.nodes(), ElementsAre("Conv conv", "Relu relu"));

  const std::vector<Tensor> inputs{exact_tensor({1, 3, 6, 6}, kStep, 5)};
  auto expected = run_plainly(model.graph, inputs);
  for (float& value : expected[0]) value *= 2.0f;
  EXPECT_THAT(run_plainly(load_model(folder_ / "int8.onnx").graph, inputs)[0],
              Pointwise(FloatNear(1e-3f), expected[0]));
}

TEST_F(ExportOnnx, ReplacesOtherConstantsInPlace) {
  OnnxFile file;
  file.input("x", {2});
  file.output("y", {2});
  file.constant("factor", {2}, std::vector<float>{1, 2});
  file.node("Mul", "multiply", {"x", "factor"}, "y");
  const Model model = load(file);
  Edits edits;
  edits.constants.push_back({"factor", {3, 4}});
  write(model, edits);
  EXPECT_THAT(
      run_plainly(load_model(folder_ / "int8.onnx").graph, {Tensor::from<float>({2}, std::vector<float>{1, 1})})[0],
      ElementsAre(3, 4));
}

TEST_F(ExportOnnx, GathersEmbeddingRowsAsIntegers) {
  OnnxFile file;
  file.input("ids", {3}, onnx::TensorProto_DataType_INT64);
  file.output("y", {3, 4});
  const std::vector<float> rows = exact_weights({5, 4}, 0, 1);
  file.constant("table", {5, 4}, rows);
  file.node("Gather", "lookup", {"table", "ids"}, "y");
  const Model model = load(file);
  Edits edits;
  edits.tables.push_back(
      {"y",
       std::make_shared<QuantizedWeights>(quantize_weights(
           rows, {5, 4}, {0}, {.granularity = Granularity::PerChannel, .symmetry = Symmetry::Symmetric, .bits = 7}))});
  const OnnxFile written = write(model, edits);
  EXPECT_THAT(written.constants(kInt8), ElementsAre("table/int8"));
  EXPECT_THAT(written.constants(onnx::TensorProto_DataType_FLOAT), ElementsAre("table/scale"));
  expect_same_outputs(model, {Tensor::from<std::int64_t>({3}, std::vector<std::int64_t>{4, 0, 2})});
}

TEST_F(ExportOnnx, RejectsUnsupportedModels) {
  const OnnxFile file = conv_with_batch_norm();
  const Model model = load(file);
  Edits edits = int8_edits(model, kSymmetric);
  edits.ops.at(0).op = "other";
  EXPECT_THAT(message_of<ModelError>([&] { write(model, edits); }), HasSubstr("'other'"));

  const Model cut = load_model(model.source, {.outputs = {"norm"}});
  EXPECT_THAT(message_of<ModelError>([&] { write(cut, {}); }), HasSubstr("was cut"));

  Model other = model.clone();
  other.format = ModelFormat::TensorFlow;
  EXPECT_THAT(message_of<ModelError>([&] { write(other, {}); }), HasSubstr("tensorflow"));

  OnnxFile external = file;
  external.model.mutable_graph()->mutable_initializer(0)->set_data_location(onnx::TensorProto_DataLocation_EXTERNAL);
  external.write(model.source);
  EXPECT_THAT(message_of<ModelError>([&] { write(model, {}); }), HasSubstr("external data"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "int8.onnx"));
}

TEST_F(ExportOnnx, RejectsAnOpThatIsOnlyPartOfANode) {
  OnnxFile file;
  file.input("x", {2, 6});
  file.input("c", {2, 4});
  file.output("y", {2, 4});
  file.constant("w", {6, 4}, exact_weights({6, 4}, 1, 1));
  file.node("Gemm", "sum", {"x", "w", "c"}, "y");
  const Model model = load(file);
  const Edits edits = int8_edits(model, kSymmetric);
  ASSERT_EQ(edits.ops.size(), 1u);
  EXPECT_THAT(message_of<ModelError>([&] { write(model, edits); }), HasSubstr("op 'sum' (MatMul)"));
}

}  // namespace
}  // namespace lpot
