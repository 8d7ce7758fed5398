// ONNX files with external data: read, edited and written.
#include "lpot/quantize/writers/onnx_data.h"

#include "lpot/model/external_data.h"
#include "tests/quantize/writers/export_onnx.h"

namespace lpot {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class OnnxData : public ExportOnnx {
 protected:
  // Values that add no rounding errors to the sums.
  static std::vector<float> two_identities() {
    std::vector<float> values(2 * 64 * 64);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 64 == i / 64 % 64 ? 1 : 0;
    return values;
  }

  // A quantized product, and an addition that stays in fp32.
  OnnxFile network() {
    OnnxFile file;
    file.input("x", {2, 64});
    file.output("y", {2, 64});
    file.constant("w", {64, 64}, exact_weights({64, 64}, 1, 1));
    file.constant("b", {2, 64, 64}, two_identities());
    file.constant("axes", {1}, std::vector<std::int64_t>{1});
    file.node("MatMul", "product", {"x", "w"}, "m");
    file.node("Unsqueeze", "unsqueeze", {"m", "axes"}, "u");
    file.node("MatMul", "float", {"u", "b"}, "f");
    file.node("Squeeze", "squeeze", {"f", "axes"}, "y");
    return file;
  }

  // Moves all values to weights.bin.
  void write_external(OnnxFile file) {
    const std::string name = "fp32.onnx";
    write_data({folder_ / name, folder_ / name, name, 0}, file.model);
    file.write(folder_ / name);
  }
};

TEST_F(OnnxData, IsReadAndWrittenIntoOneSmallFile) {
  write_external(network());
  ASSERT_THAT(external_data_files(folder_ / "fp32.onnx"), ElementsAre(folder_ / "fp32.onnx.data"));
  const Model model = load_model(folder_ / "fp32.onnx");
  const std::size_t bytes = export_onnx(model, int8_edits(model, kSymmetric), folder_ / "int8.onnx");
  EXPECT_EQ(bytes, fs::file_size(folder_ / "int8.onnx"));
  EXPECT_THAT(external_data_files(folder_ / "int8.onnx"), ::testing::IsEmpty());
  expect_same_outputs(model, {exact_tensor({2, 64}, kStep, 3)});
}

TEST_F(OnnxData, IsWrittenBesideALargeModel) {
  for (const bool external_source : {false, true}) {
    if (external_source)
      write_external(network());
    else
      network().write(folder_ / "fp32.onnx");
    const Model model = load_model(folder_ / "fp32.onnx");
    const Edits edits = int8_edits(model, kSymmetric);
    const std::size_t bytes = export_onnx_split(model, edits, folder_ / "staged.onnx", "int8.onnx", 1000);
    fs::rename(folder_ / "staged.onnx", folder_ / "int8.onnx");
    fs::rename(folder_ / "staged.onnx.data", folder_ / "int8.onnx.data");
    EXPECT_EQ(bytes, fs::file_size(folder_ / "int8.onnx") + fs::file_size(folder_ / "int8.onnx.data"));
    EXPECT_THAT(external_data_files(folder_ / "int8.onnx"), ElementsAre(folder_ / "int8.onnx.data"));
    EXPECT_LT(fs::file_size(folder_ / "int8.onnx"), 4096u) << "the values of small tensors only";
    expect_same_outputs(model, {exact_tensor({2, 64}, kStep, 3)});
  }
}

TEST_F(OnnxData, AlignsTensors) {
  write_external(network());
  std::size_t tensors = 0;
  const OnnxFile written = OnnxFile::read(folder_ / "fp32.onnx");
  for (const onnx::TensorProto& tensor : written.model.graph().initializer()) {
    if (!is_external(tensor)) continue;
    ++tensors;
    EXPECT_EQ(external_place(folder_ / "fp32.onnx", tensor).offset % 4096, 0u);
  }
  EXPECT_EQ(tensors, 2u);
}

TEST_F(OnnxData, LoadsSmallTensorsForTheWriter) {
  OnnxFile file = network();
  onnx::TensorProto& axes = *file.model.mutable_graph()->mutable_initializer(2);
  write_file(folder_ / "axes.bin", axes.raw_data());
  axes.clear_raw_data();
  axes.set_data_location(onnx::TensorProto_DataLocation_EXTERNAL);
  onnx::StringStringEntryProto& entry = *axes.add_external_data();
  entry.set_key("location");
  entry.set_value("axes.bin");
  load_small_data(folder_ / "fp32.onnx", file.model);
  EXPECT_EQ(file.constant("axes").raw_data(), network().constant("axes").raw_data());
  EXPECT_FALSE(is_external(file.constant("axes")));
}

}  // namespace
}  // namespace lpot
