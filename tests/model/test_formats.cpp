#include <gmock/gmock.h>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/model/load.h"
#include "tests/model/encode.h"

namespace lpot {
namespace {

namespace fs = std::filesystem;
using encode::describe;
using encode::Folder;
using encode::thrown_message;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const fs::path kData = fs::path(LPOT_SOURCE_DIR) / "tests/model/data";

std::vector<float> expected() {
  std::ifstream file(kData / "expected.txt");
  return {std::istream_iterator<float>(file), {}};
}

void expect_near(const std::vector<float>& values, const std::vector<float>& wanted) {
  ASSERT_EQ(values.size(), wanted.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], wanted[i], 1e-4);
}

TEST(LoadSavedModel, MatchesTensorFlowWithBatchNormFoldedAndNodesNamed) {
  const Model model = load_model(kData / "saved_model");
  EXPECT_EQ(model.format, ModelFormat::TensorFlow);
  EXPECT_THAT(describe(model_inputs(model)), ElementsAre("image f32 [?,8,8,2]", "offset f32 [?,5]"));
  EXPECT_THAT(describe(model_outputs(model)), ElementsAre("features f32 [?,64]", "logits f32 [?,5]"));
  expect_near(encode::run_filled(model, 0.5f, 1), expected());
  const auto names = encode::op_names(model);
  EXPECT_THAT(names, Contains("Convolution conv"));
  EXPECT_THAT(names, Contains("GroupConvolution depthwise"));
  EXPECT_THAT(names, ::testing::Not(Contains(::testing::StartsWith("Multiply"))));
  EXPECT_EQ(names, encode::op_names(load_model(kData / "saved_model")));
}

TEST(LoadSavedModel, AcceptsTheFolderAndTheFile) {
  const Model by_folder = load_model(kData / "saved_model/");
  const Model by_file = load_model(kData / "saved_model/saved_model.pb");
  EXPECT_EQ(by_folder.fingerprint, by_file.fingerprint);
  EXPECT_EQ(by_folder.source.filename(), "saved_model");
  EXPECT_EQ(by_folder.size_bytes, by_file.size_bytes);
}

TEST(LoadSavedModel, GivesModelsWithOtherVariablesAnotherFingerprint) {
  Folder folder;
  fs::copy(kData / "saved_model", folder / "net", fs::copy_options::recursive);
  const std::string before = load_model(folder / "net").fingerprint;
  EXPECT_EQ(before, load_model(kData / "saved_model").fingerprint);
  std::fstream file(folder / "net/variables/variables.data-00000-of-00001",
                    std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(0);
  file.put('\x11');
  file.close();
  EXPECT_NE(before, load_model(folder / "net").fingerprint);
}

// Stores of earlier releases find their model by these fingerprints.
TEST(LoadModel, KeepsItsFingerprintAcrossReleases) {
  EXPECT_EQ(load_model(kData / "network.tflite").fingerprint, "e4a6bb4e152f7ba1");
  EXPECT_EQ(load_model(kData / "saved_model").fingerprint, "23538fc9706f1179");
}

TEST(LoadSavedModel, RejectsAFolderWithoutSavedModel) {
  Folder folder;
  EXPECT_THAT(thrown_message([&] { load_model(folder / ""); }), HasSubstr("a folder without saved_model.pb"));
}

TEST(LoadTensorFlowLite, MatchesTensorFlowAndHasTheSameNamesOnEveryLoad) {
  const Model model = load_model(kData / "network.tflite");
  EXPECT_EQ(to_string(model.format), "tflite");
  EXPECT_THAT(describe(model_inputs(model)), Contains("serving_default_image:0 f32 [?,8,8,2]"));
  const std::size_t logits = model_outputs(model)[0].shape.back() == 5 ? 0 : 1;
  expect_near(encode::run_filled(model, 0.5f, logits), expected());
  EXPECT_THAT(encode::op_names(model), Contains("MatMul dense2"));
  EXPECT_EQ(encode::op_names(model), encode::op_names(load_model(kData / "network.tflite")));
}

TEST(LoadTensorFlowLite, RejectsAFileWithoutItsIdentifier) {
  Folder folder;
  const auto path = folder.write("net.tflite", "something else");
  EXPECT_THAT(thrown_message([&] { load_model(path); }), HasSubstr("TFL3"));
}

// x -> matmul_v2 (or another op) with weights [2,2] -> y, in the fields of Paddle's framework.proto.
std::string paddle_program(const std::string& op = "matmul_v2") {
  using encode::block;
  using encode::number;
  const auto tensor = [](const std::string& name, const encode::Dimensions& shape, bool is_weight) {
    std::string description = number(1, 5);
    for (const std::int64_t size : shape) description += number(2, size);
    return block(
        3, block(1, name) + block(2, number(1, 7) + block(3, block(1, description))) + number(3, is_weight ? 1 : 0));
  };
  const auto list = [](const std::string& name, int type) {
    return block(3, block(1, name) + block(2, number(1, type)) + number(3, 1));
  };
  const auto port = [](int field, const std::string& name, const std::string& tensor_name) {
    return block(field, block(1, name) + block(2, tensor_name));
  };
  const std::string column = block(4, block(1, "col") + number(2, 0) + number(3, 0));
  const auto flag = [](const std::string& name) { return block(4, block(1, name) + number(2, 6) + number(10, 0)); };
  const std::string variables = list("feed", 9) + list("fetch", 10) + tensor("x", {-1, 2}, false) +
                                tensor("w", {2, 2}, true) + tensor("y", {-1, 2}, false);
  const std::string ops = block(4, port(1, "X", "feed") + port(2, "Out", "x") + block(3, "feed") + column) +
                          block(4, port(1, "X", "x") + port(1, "Y", "w") + port(2, "Out", "y") + block(3, op) +
                                       flag("trans_x") + flag("trans_y")) +
                          block(4, port(1, "X", "y") + port(2, "Out", "fetch") + block(3, "fetch") + column);
  return block(1, number(1, 0) + number(2, -1) + variables + ops) + block(4, number(1, 2006000));
}

std::string paddle_weights(const encode::Dimensions& shape, const std::vector<float>& values) {
  std::string description = encode::number(1, 5);
  for (const std::int64_t size : shape) description += encode::number(2, size);
  std::string bytes(16, '\0');  // version, levels, version
  bytes += std::string{static_cast<char>(description.size()), 0, 0, 0};
  return bytes + description + encode::raw(values);
}

TEST(LoadPaddle, ReadsAProgramAndItsWeights) {
  Folder folder;
  const auto path = folder.write("net.pdmodel", paddle_program());
  folder.write("net.pdiparams", paddle_weights({2, 2}, {1, 2, 3, 4}));
  const Model model = load_model(path);
  EXPECT_EQ(to_string(model.format), "paddle");
  EXPECT_THAT(describe(model_inputs(model)), ElementsAre("x f32 [?,2]"));
  EXPECT_THAT(encode::run_filled(model, 1), ElementsAre(4, 6));
  EXPECT_EQ(encode::op_names(model), encode::op_names(load_model(path)));
  folder.write("net.pdiparams", paddle_weights({2, 2}, {1, 2, 3, 5}));
  EXPECT_NE(load_model(path).fingerprint, model.fingerprint);
  EXPECT_THAT(describe(model_outputs(load_model(path, {.input_shapes = {{"x", {3, 2}}}}))),
              ElementsAre(HasSubstr("[3,2]")));
}

TEST(LoadPaddle, NamesAnUnsupportedOp) {
  Folder folder;
  const auto path = folder.write("net.pdmodel", paddle_program("mystery_op"));
  folder.write("net.pdiparams", paddle_weights({2, 2}, {1, 2, 3, 4}));
  EXPECT_THAT(thrown_message([&] { load_model(path); }),
              HasSubstr("OpenVINO does not support these operations: mystery_op. Export the model without them"));
}

TEST(LoadModel, ListsTheSupportedExtensions) {
  const std::string message = thrown_message([] { load_model("net.h5"); });
  for (const char* ending : {".onnx", ".pb", ".tflite", ".pdmodel", ".xml", "SavedModel"})
    EXPECT_THAT(message, HasSubstr(ending));
}

// A MatMul of a [?,2] input and the tensor w, which `weights` defines.
std::string product_with(const std::string& weights) {
  namespace o = encode::onnx;
  return o::model(o::input("x", {-1, 2}) + weights + o::node("MatMul", "product", {"x", "w"}, "y") +
                  o::output("y", {-1, 2}));
}

bool weights_are_f32(const Model& model) {
  for (const auto& node : model.graph->get_ops())
    if (node->get_type_name() == std::string("MatMul")) {
      const auto* weights = node->get_input_node_ptr(1);
      return weights->get_type_name() == std::string("Constant") && weights->get_element_type() == ov::element::f32;
    }
  return false;
}

TEST(HalfPrecision, WeightsOfACompressedIrBecomeFloats) {
  namespace o = encode::onnx;
  Folder folder;
  const auto path = folder.write("net.onnx", product_with(o::weights("w", {2, 2}, {1, 2, 3, 4})));
  ov::save_model(ov::Core().read_model(path.string()), (folder / "half.xml").string(), true);
  ov::save_model(load_model(kData / "saved_model").graph, (folder / "conv.xml").string(), true);
  const Model model = load_model(folder / "half.xml");
  EXPECT_TRUE(weights_are_f32(model));
  EXPECT_THAT(encode::run_filled(model, 1), ElementsAre(4, 6));
  for (const auto& node : load_model(folder / "conv.xml").graph->get_ops())
    EXPECT_NE(node->get_type_name(), std::string("Convert"));
}

TEST(HalfPrecision, OnnxInitializersWithACastBecomeFloats) {
  namespace o = encode::onnx;
  Folder folder;
  const std::string halves("\x00\x3c\x00\x40\x00\x42\x00\x44", 8);  // 1, 2, 3, 4
  const std::string to_float = encode::block(5, encode::block(1, "to") + encode::number(3, 1) + encode::number(20, 2));
  const auto path = folder.write("net.onnx", product_with(o::tensor("half", {2, 2}, 10, halves) +
                                                          o::node("Cast", "widen", {"half"}, "w", to_float)));
  const Model model = load_model(path);
  EXPECT_TRUE(weights_are_f32(model));
  EXPECT_THAT(encode::run_filled(model, 1), ElementsAre(4, 6));
}

}  // namespace
}  // namespace lpot
