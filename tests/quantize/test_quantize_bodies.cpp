// Quantizing kernels inside If, Loop and TensorIterator.
#include <gmock/gmock.h>

#include "lpot/model/load.h"
#include "lpot/model/save.h"
#include "lpot/plan/search_space.h"
#include "lpot/quantize/graph/products.h"
#include "lpot/quantize/graph/quantized_ops.h"
#include "lpot/quantize/quantize.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/sequence_check.h"
#include "lpot/quantize/writers/onnx.h"
#include "lpot/runtime/executable.h"
#include "tests/support/control_flow.h"
#include "tests/support/files.h"
#include "tests/support/onnx_file.h"
#include "tests/support/output_error.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

class QuantizeBodies : public ::testing::Test {
 protected:
  Model load(const std::shared_ptr<ov::Model>& graph) {
    Model model;
    model.graph = graph;
    save_model(model, folder_ / "fp32.xml");
    return load_model(folder_ / "fp32.xml");
  }

  static Plan int8_plan(const Model& model) {
    Plan plan;
    for (const QuantizableOp& op : searchable_ops(model))
      plan.ops[op.name] = {Precision::Int8,
                           {Algorithm::MinMax, Granularity::PerTensor, Symmetry::Asymmetric, 8},
                           {Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 7}};
    return plan;
  }

  static Statistics calibrated(const Model& model, const std::vector<Tensor>& inputs) {
    return observe(model, observation_points(model), loader_of(unlabelled(inputs)), {}).snapshots.back();
  }

  // All ops in int8, saved and loaded again.
  Model quantized(const Model& model, const std::vector<Tensor>& inputs) {
    save_model(quantize(model, int8_plan(model), calibrated(model, inputs)), folder_ / "int8.xml");
    return load_model(folder_ / "int8.xml");
  }

  // The kernels with weights in bodies, in int8 or not. The plug-in appends to the names of ops.
  static std::vector<std::string> kernels(const Model& model, bool in_int8) {
    std::vector<std::string> names;
    for (const ExecutedOp& op : Executable(model).executed_ops())
      if ((op.type == "Convolution" || op.type == "FullyConnected") && op.is_in_body && op.is_int8() == in_int8)
        names.push_back(op.name);
    return names;
  }

  static Tensor image(float mean) { return images_around(mean, 1, 77)[0].reshaped({1, 4, 6, 6}); }

  TempFolder folder_;
};

TEST_F(QuantizeBodies, BothBranchesOfAnIfRunInInt8) {
  const Model model = load(if_graph());
  std::vector<Tensor> inputs = images_around(0.5f, 4);
  for (const Tensor& other : images_around(-0.5f, 4)) inputs.push_back(other);
  const Model int8 = quantized(model, inputs);
  EXPECT_THAT(kernels(int8, true), UnorderedElementsAre(StartsWith("If/then/first"), StartsWith("If/then/second"),
                                                        StartsWith("If/else/only")));
  EXPECT_THAT(kernels(int8, false), IsEmpty());
  EXPECT_THAT(quantized_ops(int8).ops, SizeIs(3));
  for (const float mean : {0.5f, -0.5f}) {
    const double error = output_error(int8, model, image(mean));
    EXPECT_LT(error, 0.05) << mean;
    EXPECT_GT(error, 0) << mean << ": the model is not quantized";
  }
}

TEST_F(QuantizeBodies, ANestedIfRunsInInt8) {
  const Model model = load(nested_if_graph());
  std::vector<Tensor> inputs;
  for (const float mean : {-0.5f, 0.5f, 1.5f})
    for (const Tensor& each : images_around(mean, 3)) inputs.push_back(each);
  const Model int8 = quantized(model, inputs);
  EXPECT_THAT(kernels(int8, true), SizeIs(4));
  EXPECT_THAT(kernels(int8, false), IsEmpty());
  for (const float mean : {-0.5f, 0.5f, 1.5f}) EXPECT_LT(output_error(int8, model, image(mean)), 0.05) << mean;
}

TEST_F(QuantizeBodies, TheBodyOfALoopRunsInInt8) {
  const Model model = load(loop_graph(3));
  const Model int8 = quantized(model, {random_tensor({16}, 1), random_tensor({16}, 2)});
  EXPECT_THAT(kernels(int8, true), ElementsAre(StartsWith("Loop/body/recurrent")));
  EXPECT_LT(output_error(int8, model, random_tensor({1, 16}, 1)), 0.05);
}

TEST_F(QuantizeBodies, TheBodyOfATensorIteratorRunsInInt8) {
  const Model model = load(iterator_graph());
  const Model int8 = quantized(model, {random_tensor({5, 8}, 1), random_tensor({5, 8}, 2)});
  EXPECT_THAT(kernels(int8, true),
              UnorderedElementsAre(StartsWith("Iterator/body/input"), StartsWith("Iterator/body/recurrent")));
  EXPECT_LT(output_error(int8, model, random_tensor({1, 5, 8}, 1)), 0.1);
}

TEST_F(QuantizeBodies, RefusesAnOpInABranchThatNoSampleTook) {
  const Model model = load(if_graph());
  const Statistics statistics = calibrated(model, images_around(0.5f, 4));
  EXPECT_THAT(message_of<DataError>([&] { quantize(model, int8_plan(model), statistics); }),
              HasSubstr("op 'If/else/only': its input 'If/else/in' has no statistics"));
  Plan plan = int8_plan(model);
  plan.ops.erase("If/else/only");
  const Model int8 = quantize(model, plan, statistics);
  EXPECT_THAT(kernels(int8, true), UnorderedElementsAre(StartsWith("If/then/first"), StartsWith("If/then/second")));
  EXPECT_THAT(kernels(int8, false), ElementsAre(StartsWith("If/else/only")));
  EXPECT_EQ(output_error(int8, model, image(-0.5f)), 0) << "the branch that stays in fp32";
}

constexpr std::size_t kSteps = 6, kInputs = 16, kStates = 32;

ov::Output<ov::Node> lstm_branch(const ov::Output<ov::Node>& x) {
  const auto zeros = constant({1, 1, kStates}, std::vector<float>(kStates, 0.0f));
  const auto lstm = std::make_shared<op::LSTMSequence>(
      x, zeros, zeros, op::Constant::create(ov::element::i32, {1}, {kSteps}),
      random_constant({1, 4 * kStates, kInputs}, 1, -0.3f, 0.3f),
      random_constant({1, 4 * kStates, kStates}, 2, -0.3f, 0.3f), random_constant({1, 4 * kStates}, 3, -0.2f, 0.2f),
      kStates, ov::op::RecurrentSequenceDirection::FORWARD);
  lstm->set_friendly_name("lstm");
  const auto axis = op::Constant::create(ov::element::i64, {1}, {1});
  return std::make_shared<op::Squeeze>(lstm->output(0), axis);
}
ov::Output<ov::Node> product_branch(const ov::Output<ov::Node>& x) { return product(x, kInputs, kStates, "fc", 4); }

TEST_F(QuantizeBodies, AnLstmInABranchIsCheckedWithASampleThatTakesIt) {
  const auto x = parameter({1, kSteps, kInputs}, "x");
  const auto y = if_above(x, 0, lstm_branch, product_branch);
  y.get_node()->set_friendly_name("If");
  const Model model = load(std::make_shared<ov::Model>(ov::OutputVector{y}, ov::ParameterVector{x}));
  const Tensor taken = random_tensor({1, kSteps, kInputs}, 5, -0.5f, 1);
  const Tensor other = random_tensor({1, kSteps, kInputs}, 6, -1, 0.5f);
  const Statistics statistics =
      calibrated(model, {taken.reshaped({kSteps, kInputs}), other.reshaped({kSteps, kInputs})});
  const Edits edits = resolve(model, int8_plan(model), statistics);
  ASSERT_THAT(edits.sequences, SizeIs(1));
  EXPECT_EQ(edits.sequences[0].op, "If/then/lstm");
  EXPECT_THAT(mismatched_sequences(model, edits, {taken}), IsEmpty());
  const auto unchecked = mismatched_sequences(model, edits, {other});
  ASSERT_THAT(unchecked, SizeIs(1));
  EXPECT_THAT(unchecked[0].reason, HasSubstr("takes another branch"));
}

// A convolution, and an If with a convolution in each branch.
OnnxFile onnx_with_if() {
  OnnxFile file;
  file.input("x", {1, 4, 6, 6});
  file.input("flag", {}, onnx::TensorProto_DataType_BOOL);
  file.output("y", {1, 4, 6, 6});
  file.constant("w", {4, 4, 1, 1}, random_values(16, 1));
  file.node("Conv", "Conv_0", {"x", "w"}, "c");
  onnx::NodeProto& choice = file.node("If", "If_1", {"flag"}, "i");
  for (const std::string branch : {"then_branch", "else_branch"}) {
    OnnxFile body;
    body.output(branch + "_y", {1, 4, 6, 6});
    body.constant(branch + "_w", {4, 4, 1, 1}, random_values(16, 2));
    body.node("Conv", "Conv_2", {"c", branch + "_w"}, branch + "_c");
    body.node("Relu", "Relu_3", {branch + "_c"}, branch + "_y");
    body.model.mutable_graph()->set_name(branch);
    onnx::AttributeProto& attribute = *choice.add_attribute();
    attribute.set_name(branch);
    attribute.set_type(onnx::AttributeProto_AttributeType_GRAPH);
    *attribute.mutable_g() = body.model.graph();
  }
  file.node("Relu", "Relu_4", {"i"}, "y");
  return file;
}

TEST_F(QuantizeBodies, AnOnnxFileKeepsItsBodiesInFp32) {
  const OnnxFile file = onnx_with_if();
  const Model model = load_model(file.write(folder_ / "if.onnx"));
  std::vector<std::string> names;
  for (const QuantizableOp& op : quantizable_ops(model)) names.push_back(op.name);
  ASSERT_THAT(names, UnorderedElementsAre("Conv_0", "If_1/then/Conv_2", "If_1/else/Conv_2_1"));
  Statistics statistics;
  for (const QuantizableOp& op : quantizable_ops(model))
    statistics[op.activation].add(random_tensor({1, 4, 6, 6}, 1), 1);
  export_onnx(model, resolve(model, int8_plan(model), statistics), folder_ / "int8.onnx");
  const OnnxFile written = OnnxFile::read(folder_ / "int8.onnx");
  const std::vector<OpInfo> int8 = quantized_ops(load_model(folder_ / "int8.onnx")).ops;
  ASSERT_THAT(int8, SizeIs(1));
  EXPECT_EQ(int8[0].name, "Conv_0");
  const auto branch_of = [](const OnnxFile& in) {
    for (const onnx::NodeProto& node : in.model.graph().node())
      if (node.op_type() == "If") return node.attribute(0).SerializeAsString();
    return std::string();
  };
  EXPECT_EQ(branch_of(written), branch_of(file));
}

}  // namespace
}  // namespace lpot
