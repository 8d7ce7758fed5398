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

// Whether the plug-in must keep the op in f32.
bool is_marked(const Model& model, const std::string& name) {
  for (const auto& node : model.graph->get_ordered_ops())
    if (node->get_friendly_name() == name)
      return std::any_of(node->get_rt_info().begin(), node->get_rt_info().end(), [](const auto& attribute) {
        return attribute.first.find("DisablePrecisionConversion") != std::string::npos;
      });
  return false;
}

// The marks are tested on every CPU, the kernels on CPUs with bf16 units.
void expect_only_b_in_f32(const Model& model) {
  for (const char* name : {"a", "b", "c"}) {
    const bool stays_in_f32 = std::string(name) == "b";
    EXPECT_EQ(is_marked(model, name), stays_in_f32) << name;
    if (usable_precision(InferencePrecision::Bf16) == InferencePrecision::Bf16) {
      const std::string kernel = kernel_of(model, name);
      EXPECT_TRUE(kernel.ends_with(stays_in_f32 ? "_f32" : "_bf16")) << name << ": " << kernel;
    }
  }
}

TEST(KeepInF32, RunsOneConvolutionOfABf16ModelInF32) {
  expect_only_b_in_f32(quantize(three_convolutions(), bf16_plan_with_f32("b"), {}));
}

TEST(KeepInF32, RunsOneProductWithABiasInF32) {
  const Model model = quantize(three_products(), bf16_plan_with_f32("b"), {});
  expect_only_b_in_f32(model);
  // The bias is not fused before the runtime reads the mark.
  EXPECT_EQ(count_type(model, "Clamp"), 1u);
}

TEST(KeepInF32, IsSavedWithTheModelAndItsPrecision) {
  const TempFolder folder;
  save_model(quantize(three_products(), bf16_plan_with_f32("b"), {}), folder / "model.xml");
  const Model loaded = load_model(folder / "model.xml");
  EXPECT_EQ(loaded.precision, InferencePrecision::Bf16);
  expect_only_b_in_f32(loaded);
}

TEST(KeepInF32, DoesNotChangeValues) {
  const Tensor input = random_tensor({1, 8, 256}, 5);
  Model marked = quantize(three_products(), bf16_plan_with_f32("b"), {});
  marked.precision = InferencePrecision::F32;
  const Tensor expected = Executable(three_products()).infer({input})[0];
  const Tensor found = Executable(marked).infer({input})[0];
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found.data<float>()[i], expected.data<float>()[i], 1e-6f) << i;
}

// Kernels of all kinds: convolutions with biases, a pooling, products with biases, a normalization and a softmax.
Model mixed_network() {
  const auto x = parameter({1, 16, 16, 16}, "x");
  std::shared_ptr<ov::Node> node = x;
  for (const char* name : {"a", "b"})
    node =
        std::make_shared<op::Relu>(with_bias(conv3x3(node, 16, 16, name), {1, 16, 1, 1}, std::string(name) + "_bias"));
  node = std::make_shared<op::Reshape>(node, op::Constant::create(ov::element::i64, {3}, {1, 16, 256}), false);
  node = with_bias(transposed_product(node, "c"), {1, 1, 256}, "c_bias");
  node = std::make_shared<op::MVN>(node, op::Constant::create(ov::element::i64, {1}, {2}), true, 1e-6f,
                                   ov::op::MVNEpsMode::INSIDE_SQRT);
  node = std::make_shared<op::Softmax>(with_bias(transposed_product(node, "d"), {1, 1, 256}, "d_bias"), 2);
  return as_model({node}, {x});
}

Plan f32_plan(const std::vector<std::string>& ops) {
  Plan plan;
  for (const std::string& name : ops) plan.ops[name].precision = Precision::Fp32;
  return plan;
}

// As a program runs it that sets nothing.
Model with_default_settings(Model model) { return with_precision(std::move(model), default_precision()); }

TEST(KeepAllInF32, RunsAnF32PlanInF32WithDefaultSettingsToo) {
  const Model saved = quantize(mixed_network(), f32_plan({"a", "b", "c", "d"}), {});
  // The marks are needed only where the runtime's default is not f32. Elsewhere nothing changes.
  const bool needs_marks = default_precision() != InferencePrecision::F32;
  for (const char* name : {"a", "b", "c", "d"}) EXPECT_EQ(is_marked(saved, name), needs_marks) << name;
  EXPECT_EQ(count_type(saved, "Clamp"), needs_marks ? 2u : 0u);
  const Model by_default = with_default_settings(saved);
  for (const ExecutedOp& op : Executable(by_default).executed_ops())
    EXPECT_FALSE(op.kernel.ends_with("_bf16") || op.kernel.ends_with("_f16")) << op.type << ": " << op.kernel;
  const Tensor input = random_tensor({1, 16, 16, 16}, 5);
  const Tensor evaluated = Executable(saved).infer({input})[0];
  const Tensor found = Executable(by_default).infer({input})[0];
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found.data<float>()[i], evaluated.data<float>()[i]) << i;  // bit for bit
}

TEST(KeepAllInF32, MarksNothingInA16BitPlan) {
  Plan plan = f32_plan({"a", "b", "c", "d"});
  plan.inference_precision = InferencePrecision::Bf16;
  for (auto& [name, op] : plan.ops) op.precision = Precision::Bf16;
  const Model saved = quantize(mixed_network(), plan, {});
  for (const char* name : {"a", "b", "c", "d"}) EXPECT_FALSE(is_marked(saved, name)) << name;
}

}  // namespace
}  // namespace lpot
