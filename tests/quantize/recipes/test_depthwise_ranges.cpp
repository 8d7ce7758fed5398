// SmoothQuant gives every input channel of a depthwise convolution its own range.
#include <cmath>

#include "lpot/quantize/graph/channel_pairs.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/writers/openvino.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"
#include "tests/support/output_error.h"

namespace lpot {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

constexpr std::size_t kUnevenChannels = 8;

// pointwise -> activation function -> depthwise. The output channels of the first convolution differ by up to a factor
// of 64, and the depthwise convolution compensates for that.
Model uneven_separable(bool is_clamped) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  std::vector<float> first = random_values(kUnevenChannels * 4, 1, 0.1f, 1.0f),
                     second = random_values(kUnevenChannels * 9, 2);
  for (std::size_t i = 0; i < first.size(); ++i) first[i] /= std::exp2(static_cast<float>(i / 4 % 7));
  for (std::size_t i = 0; i < second.size(); ++i) second[i] *= std::exp2(static_cast<float>(i / 9 % 7));
  const auto pointwise =
      std::make_shared<op::Convolution>(x, constant({kUnevenChannels, 4, 1, 1}, first), ov::Strides{1, 1},
                                        ov::CoordinateDiff{0, 0}, ov::CoordinateDiff{0, 0}, ov::Strides{1, 1});
  pointwise->set_friendly_name("pointwise");
  const std::shared_ptr<ov::Node> activation =
      is_clamped ? std::shared_ptr<ov::Node>(std::make_shared<op::Clamp>(pointwise, 0, 2))
                 : std::make_shared<op::Relu>(pointwise);
  const auto depthwise = std::make_shared<op::GroupConvolution>(
      activation, constant({kUnevenChannels, 1, 1, 3, 3}, second), ov::Strides{1, 1}, ov::CoordinateDiff{1, 1},
      ov::CoordinateDiff{1, 1}, ov::Strides{1, 1});
  depthwise->set_friendly_name("depthwise");
  return as_model({depthwise}, {x});
}

struct QuantizedSeparable {
  Model model;
  Edits edits;

  QuantizedSeparable(bool is_clamped, bool smooth, const std::string& in_fp32 = "")
      : model(uneven_separable(is_clamped)) {
    std::vector<Tensor> images;
    for (unsigned i = 0; i < 8; ++i) images.push_back(random_tensor({4, 8, 8}, i));
    const Statistics statistics =
        observe(model, observation_points(model), loader_of(unlabelled(images)), {}).snapshots.back();
    Plan plan;
    if (smooth) plan.recipes.set("smooth_quant", true);
    for (const QuantizableOp& op : quantizable_ops(model))
      plan.ops[op.name] = {Precision::Int8,
                           {.symmetry = Symmetry::Asymmetric},
                           {.granularity = Granularity::PerChannel, .symmetry = Symmetry::Symmetric, .bits = 7}};
    if (!in_fp32.empty()) plan.ops[in_fp32] = OpPlan{};
    edits = resolve(model, plan, statistics);
  }

  double error() const { return output_error(apply(model, edits), model, random_tensor({1, 4, 8, 8}, 3)); }
};

class DepthwiseRanges : public ::testing::TestWithParam<bool> {};

TEST_P(DepthwiseRanges, ReduceTheErrorManyTimes) {
  const QuantizedSeparable plain(GetParam(), false), smooth(GetParam(), true);
  EXPECT_LT(smooth.error(), 0.25 * plain.error());
  ASSERT_THAT(smooth.edits.ops, SizeIs(2));
  EXPECT_THAT(smooth.edits.ops[1].input_divisors, SizeIs(kUnevenChannels));
  EXPECT_TRUE(smooth.edits.ops[1].divisors_folded) << "nothing is computed at run time";
}

TEST_P(DepthwiseRanges, NeverEnlargeAChannel) {
  const QuantizedSeparable smooth(GetParam(), true);
  EXPECT_THAT(smooth.edits.ops[1].input_divisors, Each(Le(1.0f)));
}

TEST_P(DepthwiseRanges, WorkIfTheFirstKernelStaysInFp32) {
  const QuantizedSeparable smooth(GetParam(), true, "pointwise");
  ASSERT_THAT(smooth.edits.ops, SizeIs(1));
  EXPECT_TRUE(smooth.edits.ops[0].divisors_folded);
  EXPECT_LT(smooth.error(), 0.05);
}

TEST_P(DepthwiseRanges, ChangeNothingIfTheDepthwiseKernelStaysInFp32) {
  const QuantizedSeparable smooth(GetParam(), true, "depthwise");
  EXPECT_THAT(smooth.edits.ops[0].input_divisors, IsEmpty());
  EXPECT_THAT(smooth.edits.constants, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Functions, DepthwiseRanges, ::testing::Values(false, true),
                         [](const auto& test) { return test.param ? "Clamp" : "Relu"; });

TEST(ClampedPairs, AreNotEqualized) {
  const Model model = uneven_separable(true);
  EXPECT_THAT(channel_pairs(model), IsEmpty());
  EXPECT_THAT(clamped_channel_pairs(model), SizeIs(1));
  EXPECT_THAT(clamped_channel_pairs(uneven_separable(false)), IsEmpty());
}

}  // namespace
}  // namespace lpot
