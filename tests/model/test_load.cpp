#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> names;
  for (const OpInfo& op : list_ops(model)) names.push_back(op.type + " " + op.name);
  return names;
}

TEST(LoadOnnx, FoldsBatchNormAndKeepsTheOutputs) {
  const Model model = load_model(quickstart_model());
  EXPECT_EQ(count_type(model, "BatchNormInference"), 0u);
  EXPECT_EQ(count_type(model, "Multiply"), 0u);

  const Tensor images = random_tensor({4, 1, 28, 28}, 3, 0.0f, 1.0f);
  const auto expected = run_plainly(ov::Core().read_model(quickstart_model()), {images});
  const auto folded = run_plainly(model.graph, {images});
  ASSERT_EQ(folded[0].size(), 40u);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(folded[0][i], expected[0][i], 1e-4);
}

TEST(LoadOnnx, KeepsTheSourceNamesOfConvolutionsAndMatMuls) {
  std::vector<std::string> found;
  for (const OpInfo& op : list_ops(load_model(quickstart_model())))
    if (op.type == "Convolution" || op.type == "GroupConvolution" || op.type == "MatMul") found.push_back(op.name);
  EXPECT_THAT(found, ::testing::ElementsAre("/stem/conv/Conv", "/block1/dw/conv/Conv", "/block1/pw/conv/Conv",
                                            "/block2/conv/conv/Conv", "/block3/dw/conv/Conv", "/block3/pw/conv/Conv",
                                            "/block4/dw/conv/Conv", "/block4/pw/conv/Conv", "/fc/Gemm"));
}

TEST(LoadOnnx, GivesTheSameNamesOnTwoLoads) {
  const auto first = names_of(load_model(quickstart_model()));
  EXPECT_EQ(first, names_of(load_model(quickstart_model())));
  EXPECT_THAT(first, Not(Contains(EndsWith("/WithoutBiases"))));
}

TEST(LoadOnnx, KeepsPortsWithTheirDynamicBatch) {
  const Model model = load_model(quickstart_model());
  ASSERT_EQ(model_inputs(model).size(), 1u);
  EXPECT_EQ(model_inputs(model)[0].describe(), "image f32 [?,1,28,28]");
  EXPECT_EQ(model_outputs(model)[0].describe(), "logits f32 [?,10]");
  EXPECT_EQ(model.format, ModelFormat::Onnx);
  EXPECT_EQ(model.size_bytes, std::filesystem::file_size(quickstart_model()));
}

TEST(LoadModel, GivesDifferentFilesDifferentFingerprints) {
  TempFolder folder;
  std::string bytes = read_bytes(quickstart_model());
  const auto copy = write_bytes(folder / "copy.onnx", bytes);
  bytes[bytes.size() / 2] ^= 1;
  const auto other = write_bytes(folder / "other.onnx", bytes);
  EXPECT_EQ(load_model(copy).fingerprint, load_model(quickstart_model()).fingerprint);
  EXPECT_NE(load_model(other).fingerprint, load_model(quickstart_model()).fingerprint);
}

TEST(LoadModel, AcceptsAnExtensionInCapitals) {
  TempFolder folder;
  const auto path = write_bytes(folder / "MODEL.ONNX", read_bytes(quickstart_model()));
  EXPECT_EQ(list_ops(load_model(path)).size(), list_ops(load_model(quickstart_model())).size());
}

std::string load_error(const std::filesystem::path& path) {
  return message_of<ModelError>([&] { load_model(path); });
}

TEST(LoadModel, NamesAMissingFile) { EXPECT_EQ(load_error("no/such.onnx"), "[load_model] no/such.onnx: no such file"); }

TEST(LoadModel, RejectsAnUnknownExtension) {
  EXPECT_THAT(load_error("model.h5"),
              HasSubstr("unknown file extension '.h5'; expected .onnx, .pb (TensorFlow frozen graph), .tflite, "
                        ".pdmodel (Paddle), .xml (OpenVINO IR) or the folder of a TensorFlow SavedModel"));
}

TEST(LoadModel, RejectsAFolder) {
  TempFolder folder;
  std::filesystem::create_directory(folder / "model.onnx");
  EXPECT_THAT(load_error(folder / "model.onnx"), HasSubstr("found a folder"));
}

class LoadEmptyFile : public ::testing::TestWithParam<std::string> {};

TEST_P(LoadEmptyFile, ReportsThatItIsEmpty) {
  TempFolder folder;
  EXPECT_THAT(load_error(write_bytes(folder / ("model" + GetParam()), "")), HasSubstr("the file is empty"));
}

INSTANTIATE_TEST_SUITE_P(Extensions, LoadEmptyFile, ::testing::Values(".onnx", ".pb", ".xml"),
                         [](const auto& test) { return test.param.substr(1); });

TEST(LoadModel, ReportsATruncatedOnnxFile) {
  TempFolder folder;
  const std::string bytes = read_bytes(quickstart_model());
  for (const double share : {0.2, 0.5, 0.9, 0.999}) {
    const auto length = static_cast<std::size_t>(share * static_cast<double>(bytes.size()));
    const std::string message = load_error(write_bytes(folder / "cut.onnx", bytes.substr(0, length)));
    EXPECT_THAT(message, HasSubstr("truncated: the field at byte")) << share;
    EXPECT_THAT(message, HasSubstr("Download or export it again"));
  }
}

TEST(LoadModel, RejectsATruncatedHeader) {
  TempFolder folder;
  const std::string bytes = read_bytes(quickstart_model());
  for (std::size_t length = 1; length < 60; ++length)
    EXPECT_THROW(load_model(write_bytes(folder / "cut.onnx", bytes.substr(0, length))), ModelError) << length;
}

TEST(LoadModel, RejectsTextFiles) {
  TempFolder folder;
  const std::string page = "<!DOCTYPE html><html><body>404: Not Found</body></html>";
  for (const std::string ending : {".onnx", ".pb"})
    EXPECT_THAT(load_error(write_bytes(folder / ("page" + ending), page)), HasSubstr("page" + ending));
}

}  // namespace
}  // namespace lpot
