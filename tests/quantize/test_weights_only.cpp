// post_training_dynamic_quant: int8 weights, activations quantized at run time or not at all, no statistics.
#include "lpot/quantize/weights_only.h"

#include <cmath>

#include "lpot/model/load.h"
#include "lpot/model/save.h"
#include "lpot/plan/search_space.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/quantize.h"
#include "lpot/quantize/recipes/table.h"
#include "lpot/runtime/executable.h"
#include "tests/quantize/writers/export_onnx.h"

namespace lpot {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

QuantizationConfig dynamic() {
  QuantizationConfig config;
  config.approach = Approach::DynamicQuantization;
  return config;
}

SearchSpace space_of(const Model& model, const QuantizationConfig& config = dynamic()) {
  return {allowed_choices(quantizable_ops(model), config, recipe_declarations(), false).value};
}

Plan first_plan(const Model& model, std::size_t groups = 0) {
  const SearchSpace space = space_of(model);
  Plan plan = space.plan(space.model_choices.front());
  if (groups > 0) plan.recipes.set("run_time_groups", static_cast<std::int64_t>(groups));
  return plan;
}

// A convolution with a bias, followed by a product of 64 x 512.
Model conv_and_matmul() {
  const auto x = parameter({-1, 3, 8, 8}, "x");
  const auto bias = std::make_shared<op::Add>(conv3x3(x, 3, 64, "conv"), random_constant({1, 64, 1, 1}, 5));
  const auto mean = std::make_shared<op::ReduceMean>(bias, op::Constant::create(ov::element::i64, {2}, {2, 3}), false);
  return as_model({product(mean, 64, 512, "fc", 7)}, {x});
}

Cpu cpu_with(bool avx2, bool avx512, bool vnni) {
  Cpu cpu;
  cpu.avx2 = avx2;
  cpu.avx512 = avx512;
  cpu.vnni = vnni;
  return cpu;
}

std::vector<float> run_model_of(const Model& model, const Tensor& input) {
  return run_plainly(model.graph, {input})[0];
}

double largest_gap(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, static_cast<double>(std::fabs(a[i] - b[i])));
  return largest;
}

double largest_magnitude(const std::vector<float>& values) {
  return largest_gap(values, std::vector<float>(values.size(), 0.0f));
}

TEST(WeightsOnly, IsTheChoiceOfEveryOpInTheDynamicApproach) {
  for (const OpSpace& op : space_of(conv_and_matmul()).ops) {
    ASSERT_EQ(op.choices.size(), 3u) << "per channel, per tensor, fp32";
    EXPECT_TRUE(op.choices[0].weights_only);
    EXPECT_EQ(op.choices[0].weight.granularity, Granularity::PerChannel);
    EXPECT_TRUE(op.choices[1].weights_only);
    EXPECT_TRUE(op.can_fall_back());
  }
}

TEST(WeightsOnly, LeavesAnOpInFp32IfTheConfigRequiresFp32Activations) {
  QuantizationConfig config = dynamic();
  OpRestriction restriction;
  restriction.activation.precisions = {Precision::Fp32};
  config.op_wise = {{"fc", restriction}};
  const SearchSpace space = space_of(conv_and_matmul(), config);
  EXPECT_THAT(space.plan(space.model_choices.front()).fallback(), ElementsAre("fc"));
}

TEST(WeightsOnly, WarnsOfRecipesThatNeedRanges) {
  QuantizationConfig config = dynamic();
  config.recipes.values["smooth_quant"] = true;
  config.recipes.values["weight_correction"] = true;
  const auto [space, warnings] =
      allowed_choices(quantizable_ops(conv_and_matmul()), config, recipe_declarations(), false);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("recipes.smooth_quant")));
  EXPECT_FALSE(space.recipes.front().flag("smooth_quant"));
  EXPECT_TRUE(space.recipes.front().flag("weight_correction"));
}

TEST(WeightsOnly, IsPartOfThePlansJson) {
  const Plan plan = first_plan(conv_and_matmul(), 32);
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  EXPECT_THAT(to_json(plan), HasSubstr("weights_only"));
  Plan other = plan;
  other.ops.at("fc").weights_only = false;
  EXPECT_NE(plan_hash(other), plan_hash(plan));
  EXPECT_NE(plan, other);
}

TEST(WeightsOnly, NeedsNoStatisticsAndNoQuantizers) {
  const Model model = conv_and_matmul();
  const Model int8 = quantize(model, first_plan(model), {});
  EXPECT_EQ(count_type(int8, "FakeQuantize"), 0u);
  EXPECT_EQ(count_type(int8, "Convert"), 2u);
  const Tensor input = random_tensor({2, 3, 8, 8}, 3);
  const auto fp32 = run_model_of(model, input);
  EXPECT_LT(largest_gap(run_model_of(int8, input), fp32), 0.02 * largest_magnitude(fp32));
}

// The plug-in multiplies int8 weights without an int8 kernel in place, in memory that its streams share, once per
// stream.
TEST(WeightsOnly, ComputesTheSameOutputsInEveryStream) {
  const Model model = load_model(LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx");
  const Model int8 = quantize(model, first_plan(model), {});
  EXPECT_EQ(count_type(int8, "Divide"), 8u) << "one per convolution";
  const Tensor input = random_tensor({1, 1, 28, 28}, 3);
  const Tensor expected = Executable(int8, {.threads = 1}).infer({input})[0];
  for (int i = 0; i < 40; ++i) {
    Executable executable(int8, {.threads = 2, .streams = 2, .input_shapes = {input.shape()}});
    for (int stream = 0; stream < 2; ++stream) executable.start({input});
    for (int stream = 0; stream < 2; ++stream) {
      const Tensor output = executable.finish()[0];
      for (std::size_t k = 0; k < expected.size(); ++k)
        ASSERT_NEAR(output.value_at(k), expected.value_at(k), 1e-3) << "compilation " << i;
    }
  }
}

TEST(WeightsOnly, FallsBackPerOp) {
  const Model model = conv_and_matmul();
  Plan plan = first_plan(model);
  plan.ops.at("conv") = OpPlan{};
  EXPECT_EQ(count_type(quantize(model, plan, {}), "Convert"), 1u);
}

// Checks the statement of the header: groups of 32 change the outputs of a product only if the CPU quantizes
// activations at run time.
TEST(WeightsOnly, QuantizesActivationsAtRunTimeOnlyIfThisCpuDoes) {
  const Model model = conv_and_matmul();
  const Tensor input = random_tensor({2, 3, 8, 8}, 3);
  const auto in_fp32 = run_model_of(quantize(model, first_plan(model, 0), {}), input);
  const std::size_t groups = run_time_groups(detect_cpu());
  const auto at_run_time = run_model_of(quantize(model, first_plan(model, groups), {}), input);
  EXPECT_EQ(largest_gap(in_fp32, at_run_time) > 1e-4 * largest_magnitude(in_fp32), groups > 0);
}

TEST(WeightsOnly, HasRunTimeGroupsOnlyOnCpusWithVnni) {
  EXPECT_EQ(run_time_groups(cpu_with(true, false, false)), 0u);
  EXPECT_EQ(run_time_groups(cpu_with(true, true, false)), 0u);
  EXPECT_EQ(run_time_groups(cpu_with(true, true, true)), 32u);
  EXPECT_EQ(run_time_groups(cpu_with(true, false, true)), 32u);
  EXPECT_EQ(run_time_groups(cpu_with(false, false, true)), 0u) << "Arm dot products are not used by default";
}

TEST(WeightsOnly, DescribesActivationsAndTheSmallerSize) {
  Plan plan = first_plan(conv_and_matmul(), 0);
  EXPECT_THAT(describe_activations(plan, cpu_with(true, false, false)),
              testing::AllOf(HasSubstr("stay fp32"), HasSubstr("avx2"), HasSubstr("the model is smaller")));
  plan.recipes.set("run_time_groups", 32);
  EXPECT_THAT(describe_activations(plan, cpu_with(true, true, true)),
              testing::AllOf(HasSubstr("at run time"), HasSubstr("32"), HasSubstr("the model is smaller")));
  EXPECT_TRUE(is_weights_only(plan));
  EXPECT_FALSE(is_weights_only(Plan{}));
}

class SavedWeights : public ExportOnnx {};

TEST_F(SavedWeights, StayInt8OnDiskAndAfterLoading) {
  const Model model = conv_and_matmul();
  const Model int8 = quantize(model, first_plan(model, run_time_groups(detect_cpu())), {});
  const std::size_t whole = save_model(model, folder_ / "fp32.xml");
  const std::size_t small = save_model(int8, folder_ / "int8.xml");
  EXPECT_LT(static_cast<double>(small), 0.45 * static_cast<double>(whole))
      << "the .xml is a large part of such a small model";
  EXPECT_LT(std::filesystem::file_size(folder_ / "int8.bin") * 10,
            std::filesystem::file_size(folder_ / "fp32.bin") * 3);

  const Model loaded = load_model(folder_ / "int8.xml");
  EXPECT_EQ(count_type(loaded, "Convert"), 2u) << "weights were folded back to fp32";
  save_model(loaded, folder_ / "again.xml");
  EXPECT_EQ(std::filesystem::file_size(folder_ / "again.bin"), std::filesystem::file_size(folder_ / "int8.bin"));
  const Tensor input = random_tensor({2, 3, 8, 8}, 3);
  EXPECT_EQ(run_model_of(loaded, input), run_model_of(int8, input));
}

TEST_F(SavedWeights, StoreTheRunTimeGroupSizeInTheFile) {
  const Model model = conv_and_matmul();
  save_model(quantize(model, first_plan(model, 0), {}), folder_ / "int8.xml");
  EXPECT_THAT(read_bytes(folder_ / "int8.xml"), HasSubstr("<DYNAMIC_QUANTIZATION_GROUP_SIZE value=\"0\""));
}

TEST_F(SavedWeights, AreFollowedByDequantizeLinearInOnnx) {
  for (const OnnxFile& file : {conv_with_batch_norm(true), product_with_bias()}) {
    const Model model = load(file);
    Edits edits = int8_edits(model, kSymmetric);
    for (OpEdit& edit : edits.ops) edit.activation.clear();
    const OnnxFile written = write(model, edits);
    EXPECT_THAT(written.nodes(), Contains("DequantizeLinear w/dequantized"));
    for (const std::string& node : written.nodes()) EXPECT_THAT(node, testing::Not(HasSubstr("QuantizeLinear x")));
    EXPECT_THAT(written.constants(kInt8), UnorderedElementsAre("w/int8", "w/zero_point"));
    EXPECT_THAT(written.constants(onnx::TensorProto_DataType_INT32), IsEmpty())
        << "without an activation scale the bias stays float";
    const Shape shape = model.graph->input(0).get_shape().size() == 4 ? Shape{1, 3, 6, 6} : Shape{2, 3, 6};
    expect_same_outputs(model, {exact_tensor(shape, kStep, 3)});
  }
}

}  // namespace
}  // namespace lpot
