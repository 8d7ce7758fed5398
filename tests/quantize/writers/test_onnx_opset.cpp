#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "lpot/quantize/writers/onnx.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/onnx_file.h"

namespace lpot {
namespace {

using ::testing::Contains;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;

class UpgradeOpset : public ::testing::Test {
 protected:
  // x -> the node "op" -> y
  static OnnxFile one_node(std::int64_t opset, const std::string& type, const Dims& input, const Dims& output) {
    OnnxFile file(opset, 4);
    file.input("x", input);
    file.output("y", output);
    file.node(type, "op", {"x"}, "y");
    return file;
  }
  static onnx::NodeProto& node(OnnxFile& file) { return *file.model.mutable_graph()->mutable_node(0); }

  OnnxFile upgrade(const OnnxFile& file) {
    export_onnx(load_model(file.write(folder_ / "old.onnx")), {}, folder_ / "new.onnx");
    return OnnxFile::read(folder_ / "new.onnx");
  }

  // The upgraded file has operator set 13, keeps the node and computes the same outputs.
  void expect_same(const OnnxFile& file, const Shape& input) {
    const OnnxFile raised = upgrade(file);
    EXPECT_EQ(raised.model.opset_import(0).version(), 13);
    EXPECT_GE(raised.model.ir_version(), 7);
    const std::vector<Tensor> inputs{random_tensor(input, 3)};
    const auto expected = run_plainly(load_model(folder_ / "old.onnx").graph, inputs);
    const auto found = run_plainly(load_model(folder_ / "new.onnx").graph, inputs);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], Pointwise(FloatNear(1e-5f), expected[i]));
  }

  TempFolder folder_;
};

TEST_F(UpgradeOpset, KeepsSoftmaxOverSeveralDimensions) {
  // OpenVINO itself treats Softmax of operator sets 11 and 12 like 13.
  for (const auto& [type, opset] : {std::pair{"Softmax", 10}, std::pair{"LogSoftmax", 12}}) {
    expect_same(one_node(opset, type, {2, 3, 4}, {2, 3, 4}), {2, 3, 4});
    EXPECT_THAT(OnnxFile::read(folder_ / "new.onnx").nodes(), Contains(std::string(type) + " op"));
  }
}

TEST_F(UpgradeOpset, KeepsSoftmaxOverTheLastDimensionAsOneNode) {
  expect_same(one_node(12, "Softmax", {2, 3}, {2, 3}), {2, 3});
  EXPECT_EQ(OnnxFile::read(folder_ / "new.onnx").model.graph().node_size(), 1);
}

TEST_F(UpgradeOpset, TurnsAxesIntoInputs) {
  OnnxFile squeeze = one_node(12, "Squeeze", {2, 1, 3}, {2, 3});
  set_ints(node(squeeze), "axes", {1});
  expect_same(squeeze, {2, 1, 3});
  OnnxFile unsqueeze = one_node(11, "Unsqueeze", {2, 3}, {2, 1, 3});
  set_ints(node(unsqueeze), "axes", {1});
  expect_same(unsqueeze, {2, 3});
  OnnxFile sum = one_node(9, "ReduceSum", {2, 3}, {2});
  set_ints(node(sum), "axes", {1});
  set_attribute(node(sum), "keepdims", std::int64_t{0});
  expect_same(sum, {2, 3});
  OnnxFile split = one_node(11, "Split", {2, 6}, {2, 2});
  set_ints(node(split), "split", {2, 4});
  set_attribute(node(split), "axis", std::int64_t{1});
  node(split).add_output("z");
  split.output("z", {2, 4});
  expect_same(split, {2, 6});
  OnnxFile slice = one_node(9, "Slice", {4, 6}, {2, 6});
  set_ints(node(slice), "starts", {1});
  set_ints(node(slice), "ends", {3});
  expect_same(slice, {4, 6});
}

TEST_F(UpgradeOpset, TurnsBoundsAndPadsIntoInputs) {
  OnnxFile clip = one_node(10, "Clip", {2, 6}, {2, 6});
  set_attribute(node(clip), "min", -0.25f);
  set_attribute(node(clip), "max", 0.5f);
  expect_same(clip, {2, 6});
  OnnxFile open = one_node(10, "Clip", {2, 6}, {2, 6});
  set_attribute(node(open), "max", 0.5f);
  expect_same(open, {2, 6});
  OnnxFile pad = one_node(10, "Pad", {2, 3}, {2, 6});
  set_ints(node(pad), "pads", {0, 1, 0, 2});
  set_attribute(node(pad), "value", 7.0f);
  expect_same(pad, {2, 3});
}

TEST_F(UpgradeOpset, TurnsUpsampleIntoResize) {
  OnnxFile upsample = one_node(9, "Upsample", {1, 1, 3, 3}, {1, 1, 6, 6});
  upsample.constant("scales", {4}, std::vector<float>{1, 1, 2, 2});
  node(upsample).add_input("scales");
  set_attribute(node(upsample), "mode", std::string("nearest"));
  expect_same(upsample, {1, 1, 3, 3});
  OnnxFile resize = one_node(10, "Resize", {1, 1, 3, 3}, {1, 1, 6, 6});
  resize.constant("scales", {4}, std::vector<float>{1, 1, 2, 2});
  node(resize).add_input("scales");
  set_attribute(node(resize), "mode", std::string("linear"));
  expect_same(resize, {1, 1, 3, 3});
}

TEST_F(UpgradeOpset, RemovesTheRatioOfDropout) {
  OnnxFile dropout = one_node(10, "Dropout", {2, 3}, {2, 3});
  set_attribute(node(dropout), "ratio", 0.3f);
  expect_same(dropout, {2, 3});
}

// Older files often name the mask, although no node reads it.
TEST_F(UpgradeOpset, RemovesAMaskOfDropoutThatNoNodeReads) {
  OnnxFile dropout = one_node(9, "Dropout", {2, 3}, {2, 3});
  node(dropout).add_output("mask");
  expect_same(dropout, {2, 3});
  EXPECT_EQ(OnnxFile::read(folder_ / "new.onnx").model.graph().node(0).output_size(), 1);
}

TEST_F(UpgradeOpset, KeepsLaterOperatorSets) {
  const OnnxFile raised = upgrade(one_node(17, "Relu", {2, 3}, {2, 3}));
  EXPECT_EQ(raised.model.opset_import(0).version(), 17);
}

TEST_F(UpgradeOpset, RejectsOperatorSetsBefore7) {
  EXPECT_THAT(message_of<ModelError>([&] {
                upgrade(one_node(6, "Relu", {2, 3}, {2, 3}));
              }),
              HasSubstr("operator set 6; expected 7"));
}

TEST_F(UpgradeOpset, NamesAnOpThatCannotBeUpgraded) {
  OnnxFile dropout = one_node(9, "Dropout", {2, 3}, {2, 3});
  node(dropout).add_output("mask");
  dropout.output("mask", {2, 3});
  EXPECT_THAT(message_of<ModelError>([&] { upgrade(dropout); }), HasSubstr("'op' (Dropout)"));
}

}  // namespace
}  // namespace lpot
