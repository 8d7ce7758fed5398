// ONNX models whose tensors are in other files.
#include "lpot/model/external_data.h"

#include <gmock/gmock.h>

#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "lpot/model/onnx_file.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/onnx_file.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class ExternalData : public ::testing::Test {
 protected:
  // y = x * w, with w at offset 16 of weights.bin.
  void build(const std::string& location = "weights.bin", const std::string& offset = "16",
             const std::string& length = "24") {
    file_ = OnnxFile();
    file_.input("x", {1, 3});
    file_.output("y", {1, 2});
    file_.constant("w", {3, 2}, std::vector<float>{});
    onnx::TensorProto& weights = *file_.model.mutable_graph()->mutable_initializer(0);
    weights.clear_raw_data();
    weights.set_data_location(onnx::TensorProto_DataLocation_EXTERNAL);
    for (const auto& [key, value] : {std::pair{"location", location}, {"offset", offset}, {"length", length}}) {
      if (value.empty()) continue;
      onnx::StringStringEntryProto& entry = *weights.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    file_.node("MatMul", "product", {"x", "w"}, "y");
    file_.write(folder_ / "net.onnx");
  }

  void write_weights(const std::vector<float>& values, const std::string& name = "weights.bin") {
    std::string bytes(16, '\0');
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    write_file(folder_ / name, bytes);
  }

  std::string message() {
    return message_of<ModelError>([&] { load_model(folder_ / "net.onnx"); });
  }

  OnnxFile file_;
  TempFolder folder_;
};

TEST_F(ExternalData, IsReadAndPartOfTheFingerprint) {
  build();
  write_weights({1, 2, 3, 4, 5, 6});
  const Model model = load_model(folder_ / "net.onnx");
  EXPECT_EQ(model.size_bytes, fs::file_size(folder_ / "net.onnx") + 40);
  const auto outputs = run_plainly(model.graph, {Tensor::from<float>({1, 3}, {1, 10, 100})});
  EXPECT_THAT(outputs.at(0), ElementsAre(531, 642));
  write_weights({1, 2, 3, 4, 5, 7});
  EXPECT_NE(load_model(folder_ / "net.onnx").fingerprint, model.fingerprint);
}

TEST_F(ExternalData, LiesInAnyFileBelowTheModel) {
  fs::create_directory(folder_ / "data");
  build("data/w.bin", "16", "");
  write_weights({1, 2, 3, 4, 5, 6}, "data/w.bin");
  EXPECT_THAT(external_data_files(folder_ / "net.onnx"), ElementsAre(folder_ / "data/w.bin"));
}

TEST_F(ExternalData, MayBeMissingOrTruncated) {
  build();
  EXPECT_THAT(message(), AllOf(HasSubstr("'w'"), HasSubstr("weights.bin is missing")));
  write_weights({1, 2, 3, 4, 5});
  EXPECT_THAT(message(), AllOf(HasSubstr("has 36 bytes; expected at least 16 + 24"), HasSubstr("truncated")));
  fs::remove(folder_ / "weights.bin");
  fs::create_directory(folder_ / "weights.bin");
  EXPECT_THAT(message(), HasSubstr("is missing"));
}

TEST_F(ExternalData, StaysInTheFolderOfTheModel) {
  for (const std::string location : {"../weights.bin", "/etc/passwd", "data/../../weights.bin", ""}) {
    build(location);
    EXPECT_THAT(message(), HasSubstr("expected a relative path inside the folder of the model")) << location;
  }
}

TEST_F(ExternalData, HasPlacesThatFitTheTensor) {
  write_weights({1, 2, 3, 4, 5, 6});
  build("weights.bin", "16", "20");
  EXPECT_THAT(message(), HasSubstr("the length is 20 bytes; expected 24"));
  build("weights.bin", "minus one");
  EXPECT_THAT(message(), HasSubstr("offset is 'minus one'; expected a number"));
  build("weights.bin", "18446744073709551600");
  EXPECT_THAT(message(), HasSubstr("truncated"));
  build();
  file_.model.mutable_graph()->mutable_initializer(0)->set_dims(0, std::int64_t{1} << 60);
  file_.write(folder_ / "net.onnx");
  EXPECT_THAT(message(), HasSubstr("expected the shape of a tensor"));
}

TEST_F(ExternalData, IsFoundInAttributesAndBodies) {
  build();
  write_weights({1, 2, 3, 4, 5, 6});
  const onnx::TensorProto tensor = file_.constant("w");
  OnnxFile outer;
  onnx::AttributeProto& value = *outer.node("Constant", "c", {}, "c").add_attribute();
  value.set_name("value");
  *value.mutable_t() = tensor;
  onnx::AttributeProto& body = *outer.node("If", "if", {"x"}, "y").add_attribute();
  *body.mutable_g()->add_initializer() = tensor;
  const std::string bytes = outer.model.SerializeAsString();
  EXPECT_EQ(read_external_tensors({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}).size(), 2u);
}

}  // namespace
}  // namespace lpot
