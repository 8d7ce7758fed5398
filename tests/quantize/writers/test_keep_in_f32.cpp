#include "lpot/quantize/writers/keep_in_f32.h"

#include "lpot/model/load.h"
#include "lpot/model/save.h"
#include "lpot/quantize/quantize.h"
#include "lpot/runtime/executable.h"
#include "lpot/runtime/precision.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

class KeepInF32 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (usable_precision(InferencePrecision::Bf16) != InferencePrecision::Bf16) GTEST_SKIP() << "this CPU has no bf16";
  }
};

// The kernel that runs the op.
std::string kernel_of(const Model& model, const std::string& name) {
  for (const ExecutedOp& op : Executable(model).executed_ops())
    if (std::any_of(op.source_names.begin(), op.source_names.end(),
                    [&](const std::string& source) { return source.starts_with(name); }) &&
        (op.type == "Convolution" || op.type == "FullyConnected"))
      return op.kernel;
  return "not found";
}

std::shared_ptr<ov::Node> with_bias(const std::shared_ptr<ov::Node>& node, const ov::Shape& shape,
                                    const std::string& name) {
  return named(std::make_shared<op::Add>(node, random_constant(shape, 9)), name);
}

// Three kernels with biases.
Model three_convolutions() {
  const auto x = parameter({1, 16, 12, 12}, "x");
  std::shared_ptr<ov::Node> node = x;
  for (const char* name : {"a", "b", "c"})
    node =
        std::make_shared<op::Relu>(with_bias(conv3x3(node, 16, 16, name), {1, 16, 1, 1}, std::string(name) + "_bias"));
  return as_model({node}, {x});
}

// The weights are transposed, or the runtime runs several products in one kernel.
std::shared_ptr<ov::Node> transposed_product(const std::shared_ptr<ov::Node>& input, const std::string& name) {
  return named(std::make_shared<op::MatMul>(input, random_constant({256, 256}, 3), false, true), name);
}

Model three_products() {
  const auto x = parameter({1, 8, 256}, "x");
  std::shared_ptr<ov::Node> node = x;
  for (const char* name : {"a", "b", "c"})
    node = std::make_shared<op::Softmax>(
        with_bias(transposed_product(node, name), {1, 1, 256}, std::string(name) + "_bias"), 2);
  return as_model({node}, {x});
}

Plan bf16_plan_with_f32(const std::string& op) {
  Plan plan;
  plan.inference_precision = InferencePrecision::Bf16;
  for (const char* name : {"a", "b", "c"}) plan.ops[name].precision = name == op ? Precision::Fp32 : Precision::Bf16;
  return plan;
}

void expect_only_b_in_f32(const Model& model) {
  EXPECT_THAT(kernel_of(model, "a"), HasSubstr("bf16"));
  EXPECT_THAT(kernel_of(model, "b"), HasSubstr("f32"));
  EXPECT_THAT(kernel_of(model, "c"), HasSubstr("bf16"));
}

TEST_F(KeepInF32, RunsOneConvolutionOfABf16ModelInF32) {
  expect_only_b_in_f32(quantize(three_convolutions(), bf16_plan_with_f32("b"), {}));
}

TEST_F(KeepInF32, RunsOneProductWithABiasInF32) {
  expect_only_b_in_f32(quantize(three_products(), bf16_plan_with_f32("b"), {}));
}

TEST_F(KeepInF32, IsSavedWithTheModelAndItsPrecision) {
  const TempFolder folder;
  save_model(quantize(three_products(), bf16_plan_with_f32("b"), {}), folder / "model.xml");
  const Model loaded = load_model(folder / "model.xml");
  EXPECT_EQ(loaded.precision, InferencePrecision::Bf16);
  expect_only_b_in_f32(loaded);
}

TEST_F(KeepInF32, DoesNotChangeValues) {
  const Tensor input = random_tensor({1, 8, 256}, 5);
  Model marked = quantize(three_products(), bf16_plan_with_f32("b"), {});
  marked.precision = InferencePrecision::F32;
  const Tensor expected = Executable(three_products()).infer({input})[0];
  const Tensor found = Executable(marked).infer({input})[0];
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found.data<float>()[i], expected.data<float>()[i], 1e-6f) << i;
}

}  // namespace
}  // namespace lpot
