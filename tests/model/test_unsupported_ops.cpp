// Errors about operations that OpenVINO does not support name the operation and never blame the file.
#include "lpot/model/unsupported_ops.h"

#include <gmock/gmock.h>

#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "tests/model/encode.h"

namespace lpot {
namespace {

using encode::Folder;
using encode::thrown_message;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

MATCHER(BlamesNoFile, "does not ask to check the file") {
  for (const char* words : {"complete", "damaged", "truncated", "whole", "ownload"})
    if (arg.find(words) != std::string::npos) return false;
  return true;
}

std::string onnx_with(const std::string& node) {
  namespace o = encode::onnx;
  return o::model(o::input("x", {1, 4}) + node + o::node("Relu", "relu", {"hidden"}, "y") + o::output("y", {1, 4}));
}

// x -> op of type `type` in the operator set `version` -> result.
std::string ir_with(const std::string& type, const std::string& version) {
  const std::string dims = "<dim>1</dim><dim>4</dim></port>";
  return "<?xml version=\"1.0\"?><net name=\"n\" version=\"11\"><layers>"
         "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data shape=\"1,4\" element_type=\"f32\"/>"
         "<output><port id=\"0\" precision=\"FP32\">" +
         dims + "</output></layer><layer id=\"1\" name=\"odd\" type=\"" + type + "\" version=\"" + version +
         "\"><input><port id=\"0\">" + dims + "</input><output><port id=\"1\" precision=\"FP32\">" + dims +
         "</output></layer><layer id=\"2\" name=\"r\" type=\"Result\" version=\"opset1\"><input><port id=\"0\">" +
         dims +
         "</input></layer></layers><edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" to-port=\"0\"/>"
         "<edge from-layer=\"1\" from-port=\"1\" to-layer=\"2\" to-port=\"0\"/></edges></net>";
}

TEST(UnsupportedOp, OfOnnxIsNamedWithACut) {
  Folder folder;
  const auto path = folder.write("net.onnx", onnx_with(encode::onnx::node("Mystery", "odd", {"x"}, "hidden")));
  EXPECT_EQ(
      thrown_message([&] { load_model(path); }),
      "[load_model] " + path.string() +
          ": OpenVINO does not support these operations: Mystery. Cut the model after them: set \"inputs: [hidden]\" "
          "and \"input_shapes: {hidden: [...]}\" under \"model:\"");
}

TEST(UnsupportedOp, OfTensorFlowAtTheEndIsNamedWithACutBeforeIt) {
  namespace t = encode::tf;
  Folder folder;
  const std::string shape = t::attribute("shape", encode::block(7, t::shape({1, 4})));
  const auto path = folder.write("net.pb", t::node("Placeholder", "x", {}, t::type("dtype", 1) + shape) +
                                               t::node("Relu", "relu", {"x"}, t::type("T", 1)) +
                                               t::node("NoSuchOp", "odd", {"relu"}));
  EXPECT_THAT(thrown_message([&] { load_model(path); }),
              EndsWith("OpenVINO does not support these operations: NoSuchOp. Cut the model before them: set "
                       "\"outputs: [relu]\" under \"model:\""));
}

TEST(UnsupportedOp, OfOpenVinoIrIsNamed) {
  for (const std::string version : {"opset1", "opset99", "extension"}) {
    Folder folder;
    folder.write("net.bin", "");
    const auto path = folder.write("net.xml", ir_with("Mystery", version));
    EXPECT_THAT(thrown_message([&] { load_model(path); }),
                EndsWith("net.xml: OpenVINO does not support these operations: Mystery. Export the model without them"))
        << version;
  }
}

// The front end knows Pad, but not this mode of it.
TEST(UnsupportedOp, IsNamedWithTheReasonIfOnlyThisUseIsUnsupported) {
  Folder folder;
  const std::string mode = encode::block(5, encode::block(1, "mode") + encode::block(4, "odd") + encode::number(20, 3));
  const std::string pads = encode::onnx::tensor("pads", {4}, 7, std::string(32, '\0'));
  const auto path =
      folder.write("net.onnx", onnx_with(pads + encode::onnx::node("Pad", "pad", {"x", "pads"}, "hidden", mode)));
  EXPECT_THAT(thrown_message([&] { load_model(path); }),
              EndsWith("OpenVINO does not support the operation Pad as this model uses it: Unsupported padding mode: "
                       "[odd]. Export the model with other operations"));
}

// x -> Conv -> features -> Mystery -> hidden -> Relu -> y
TEST(UnsupportedOp, AfterTheConvolutionsIsNamedWithACutBeforeIt) {
  namespace o = encode::onnx;
  Folder folder;
  const auto path =
      folder.write("net.onnx", o::model(o::input("x", {1, 1, 4}) + o::weights("w", {1, 1, 1}, {2}) +
                                        o::node("Conv", "conv", {"x", "w"}, "features") +
                                        o::node("Mystery", "odd", {"features"}, "hidden") +
                                        o::node("Relu", "relu", {"hidden"}, "y") + o::output("y", {1, 1, 4})));
  EXPECT_THAT(thrown_message([&] { load_model(path); }),
              EndsWith("Mystery. Cut the model before them: set \"outputs: [features]\" under \"model:\""));
  EXPECT_THAT(encode::run_filled(load_model(path, {.outputs = {"features"}}), 1), Each(2));
}

// The file of a network that computes a Fourier transform. The result of the transform is complex, so the cut is after
// its conversion to floats.
TEST(UnsupportedOp, OfTensorFlowLiteIsNamedWithACut) {
  const std::string path = LPOT_SOURCE_DIR "/tests/model/data/spectrum.tflite";
  EXPECT_EQ(thrown_message([&] { load_model(path); }),
            "[load_model] " + path +
                ": OpenVINO does not support these operations: RFFT2D. Cut the model after them: set \"inputs: "
                "[spectrum]\" under \"model:\"");
  const Model model = load_model(path, {.inputs = {"spectrum"}});
  EXPECT_THAT(encode::describe(model_inputs(model)), ElementsAre("spectrum f32 [4,9]"));
  EXPECT_THAT(encode::run_filled(model, 1), Each(9));
}

// If x has one row, the convolution reads x, else it reads a matrix. So its rank is unknown for a dynamic batch.
TEST(UnsupportedOp, ForDynamicShapesIsNamedWithTheShapesToSet) {
  namespace o = encode::onnx;
  const auto branch = [](const std::string& key, const std::string& node) {
    return encode::block(5, encode::block(1, key) +
                                encode::block(6, encode::block(2, key) + node + o::output(key, {})) +
                                encode::number(20, 5));
  };
  const std::string branches = branch("then_branch", o::node("Relu", "then", {"x"}, "then_branch")) +
                               branch("else_branch", o::node("Flatten", "else", {"x"}, "else_branch"));
  const std::string zero(8, '\0'), one = '\1' + std::string(7, '\0');
  Folder folder;
  const auto path =
      folder.write("net.onnx", o::model(o::input("x", {-1, 1, 4}) + o::weights("w", {1, 1, 1}, {2}) +
                                        o::tensor("zero", {}, 7, zero) + o::tensor("one", {}, 7, one) +
                                        o::node("Shape", "shape", {"x"}, "dims") +
                                        o::node("Gather", "rows", {"dims", "zero"}, "count") +
                                        o::node("Equal", "is_one", {"count", "one"}, "single") +
                                        o::node("If", "if", {"single"}, "data", branches) +
                                        o::node("Conv", "conv", {"data", "w"}, "y") + o::output("y", {-1, 1, 4})));
  EXPECT_THAT(
      thrown_message([&] { load_model(path); }),
      AllOf(HasSubstr("OpenVINO does not support the operation Conv as this model uses it"),
            HasSubstr("Fixed input shapes may be enough: set \"input_shapes: {x: [?, 1, 4]}\" under \"model:\", "
                      "with a number for each ?"),
            BlamesNoFile()));
  const Model model = load_model(path, {.input_shapes = {{"x", {1, 1, 4}}}});
  EXPECT_THAT(encode::run_filled(model, 1), Each(2));
}

// The texts of the front ends that do not list their ops in a summary.
TEST(UnsupportedOp, IsFoundInTheMessagesOfAllFrontEnds) {
  const ModelFiles files{ModelFormat::TensorFlowLite, "net.tflite", {"net.tflite"}};
  for (const char* message : {"FrontEnd API failed with OpConversionFailure:\nNo translator found for MYSTERY node.\n",
                              "FrontEnd API failed with OpConversionFailure:\nNo creator found for MYSTERY node.\n",
                              "Opset opset1 doesn't contain the operation with type: MYSTERY\n",
                              "OpenVINO does not support the following ONNX operations: MYSTERY\n",
                              "The translation is incomplete due to operation 33 of type MYSTERY\n"})
    EXPECT_THAT(explain_unsupported_ops(files, message, {}),
                AllOf(HasSubstr("OpenVINO does not support these operations: MYSTERY"), BlamesNoFile()));
  EXPECT_EQ(explain_unsupported_ops(files, "Incorrect weights in bin file!", {}), "");
}

}  // namespace
}  // namespace lpot
