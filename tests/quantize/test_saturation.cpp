// 16-bit sums of the AVX2 kernels: an actual overflow, its prediction, and half-range weights that avoid it. The
// kernels run in a separate process limited to AVX2, because the environment variable is read only once.
#include "lpot/quantize/saturation.h"

#include <cmath>

#include "lpot/core/process.h"
#include "lpot/model/save.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/quantize.h"
#include "lpot/quantize/recipes/table.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kChannels = 64, kOutputs = 16, kSide = 8;

TensorScheme weights_of(int bits) { return {Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, bits}; }

// A 1x1 convolution. Output o is (o + 1) / 16 of the sum of its inputs. All weights of an output are equal, so all of
// them are the largest integer.
Model sums() {
  const auto x = parameter({1, kChannels, kSide, kSide}, "x");
  std::vector<float> weights(kOutputs * kChannels);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i / kChannels + 1) / kOutputs;
  const auto conv =
      named(std::make_shared<op::Convolution>(x, constant({kOutputs, kChannels, 1, 1}, weights), ov::Strides{1, 1},
                                              ov::CoordinateDiff{0, 0}, ov::CoordinateDiff{0, 0}, ov::Strides{1, 1}),
            "sums");
  return as_model({conv}, {x});
}

Plan plan_with(int bits) {
  Plan plan;
  plan.ops["sums"] = {
      Precision::Int8, {Algorithm::MinMax, Granularity::PerTensor, Symmetry::Asymmetric, 8}, weights_of(bits)};
  return plan;
}

// All inputs at the upper end of their range, level 255.
Tensor extreme() {
  return Tensor::from<float>({1, kChannels, kSide, kSide}, std::vector<float>(kChannels * kSide * kSide, 1.0f));
}

Statistics observed(const Model& model, const Tensor& input) {
  return observe(model, observation_points(model), loader_of(unlabelled({input.slice(0)})), {}).snapshots.back();
}

class Saturates : public ::testing::Test {
 protected:
  struct Run {
    std::vector<float> values;
    std::string kernel;
  };

  Run with_avx2_kernels(const Model& model, const Tensor& input) const {
    save_model(model, folder_ / "model.xml");
    folder_.write("input", std::string(reinterpret_cast<const char*>(input.bytes()), input.byte_size()));
    Process child({"/usr/bin/env", "ONEDNN_MAX_CPU_ISA=AVX2", LPOT_RUN_MODEL, (folder_ / "model.xml").string(),
                   (folder_ / "input").string()});
    Run run;
    while (const auto line = child.read_line())
      if (line->starts_with("kernel "))
        run.kernel = *line;
      else
        run.values.push_back(std::stof(*line));
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(run.values.size(), kOutputs * kSide * kSide);
    run.values.resize(kOutputs * kSide * kSide);
    return run;
  }

  // The result of 32-bit sums of these integers.
  static float exact(std::size_t output, int bits) {
    const int limit = weight_limit(weights_of(bits));
    const float scale = static_cast<float>(output + 1) / kOutputs / static_cast<float>(limit);
    return static_cast<float>(255 * limit * static_cast<int>(kChannels)) * scale / 255.0f;
  }

  TempFolder folder_;
};

#if defined(__x86_64__)
TEST_F(Saturates, WithTheFullWeightRangeAsPredicted) {
  const Model model = sums();
  const Statistics statistics = observed(model, extreme());
  EXPECT_THAT(saturating_ops(model, plan_with(8), statistics), ElementsAre("sums"));
  const Run run = with_avx2_kernels(quantize(model, plan_with(8), statistics), extreme());
  EXPECT_THAT(run.kernel, testing::AllOf(HasSubstr("avx2"), HasSubstr("I8")));
  for (std::size_t o = 0; o < kOutputs; ++o)
    EXPECT_LT(run.values[o * kSide * kSide], 0.6f * exact(o, 8))
        << "the sum of two products of 255 * 127 saturates at 32767";
}

TEST_F(Saturates, NotWithHalfTheWeightRange) {
  const Model model = sums();
  const Statistics statistics = observed(model, extreme());
  EXPECT_THAT(saturating_ops(model, plan_with(7), statistics), IsEmpty());
  const Run run = with_avx2_kernels(quantize(model, plan_with(7), statistics), extreme());
  EXPECT_THAT(run.kernel, HasSubstr("avx2"));
  for (std::size_t o = 0; o < kOutputs; ++o)
    EXPECT_NEAR(run.values[o * kSide * kSide], exact(o, 7), 1e-3f * exact(o, 7));
}

TEST_F(Saturates, NotWithSmallInputsAndTheFullWeightRange) {
  const Model model = sums();
  Tensor small = extreme();  // one channel uses the full range, the others half of it
  for (std::size_t i = kSide * kSide; i < small.size(); ++i) small.data<float>()[i] = 0.5f;
  const Statistics statistics = observed(model, small);
  EXPECT_THAT(saturating_ops(model, plan_with(8), statistics), ElementsAre("sums"))
      << "255 * 127 + 128 * 127 saturates";
  for (std::size_t i = kSide * kSide; i < small.size(); ++i)
    small.data<float>()[i] = i < 2 * kSide * kSide ? 0.0f : 0.5f;
  const Statistics even_smaller = observed(model, small);
  EXPECT_THAT(saturating_ops(model, plan_with(8), even_smaller), IsEmpty());
  const Run run = with_avx2_kernels(quantize(model, plan_with(8), even_smaller), small);
  const float inputs = 1.0f + static_cast<float>(kChannels - 2) * 128.0f / 255.0f;
  for (std::size_t o = 0; o < kOutputs; ++o)
    EXPECT_NEAR(run.values[o * kSide * kSide], inputs * static_cast<float>(o + 1) / kOutputs, 0.02f * inputs);
}
#endif

// A range that clips gives larger integers, so an op may saturate in one scheme and not in another.
TEST(WeightRangePolicy, DependsOnTheScheme) {
  const Model model = sums();
  // All values are 0.5 except one, and the adjacent channel is empty. Minmax maps 0.5 to level 128, so no pair
  // saturates. A percentile clips the one large value and maps 0.5 to level 255.
  Tensor input = extreme();
  for (std::size_t i = 0; i < input.size(); ++i) input.data<float>()[i] = i < 2 * kSide * kSide ? 0.0f : 0.5f;
  std::vector<Tensor> samples(7, input.slice(0));
  Tensor with_one(ElementType::F32, input.shape());
  std::copy(input.data<float>(), input.data<float>() + input.size(), with_one.data<float>());
  with_one.data<float>()[0] = 1.0f;
  samples.push_back(with_one.slice(0));
  const Statistics statistics =
      observe(model, observation_points(model), loader_of(unlabelled(samples)), {}).snapshots.back();

  QuantizationConfig config;
  config.model_wise.activation.algorithms = {Algorithm::MinMax, Algorithm::Percentile};
  const auto space = [&](bool half) {
    return allowed_choices(quantizable_ops(model), config, recipe_declarations(), half).value;
  };
  const PlanChoices narrow = space(true);
  std::size_t asked = 0;
  WeightRangePolicy widen(model, space(false), [&](const Plan&) -> const Statistics& { return ++asked, statistics; });
  bool widened = false, kept = false;
  for (const OpPlan& choice : narrow.model_choices) {
    const Plan plan = narrow.plan(choice);
    Plan whole = plan;
    whole.ops.at("sums").weight.bits = 8;
    const bool saturates = !saturating_ops(model, whole, statistics).empty();
    EXPECT_EQ(widen(plan), saturates ? plan : whole);
    (saturates ? kept : widened) = true;
    EXPECT_EQ(widen(plan), widen(plan));
  }
  EXPECT_EQ(asked, narrow.model_choices.size()) << "each scheme is analyzed once";
  EXPECT_TRUE(widened && kept) << "the schemes do not differ, so the test proves nothing";
}

TEST(WeightRangePolicy, KeepsKernelVariantsFp32OpsAndConfiguredBits) {
  const Model model = sums();
  QuantizationConfig config;
  config.model_wise.weight.bits = 6;
  const PlanChoices narrow = allowed_choices(quantizable_ops(model), config, recipe_declarations(), true).value;
  const Statistics statistics = observed(model, extreme());
  WeightRangePolicy widen(model, allowed_choices(quantizable_ops(model), config, recipe_declarations(), false).value,
                          [&](const Plan&) -> const Statistics& { return statistics; });
  Plan plan = narrow.plan(narrow.model_choices.front());
  plan.ops.at("sums").variant = KernelVariant::Convolution;
  EXPECT_EQ(widen(plan), plan);
  EXPECT_EQ(widen(plan).ops.at("sums").weight.bits, 6);
  plan.ops.at("sums") = OpPlan{};
  EXPECT_EQ(widen(plan), plan);
}

}  // namespace
}  // namespace lpot
