// SmoothQuant of whole plans.
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/resolve.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// A convolution and a matrix product read the same tensor. The channels of the convolution are on axis 1, those of the
// product are on axis 2, where some values are large.
Model convolution_and_product() {
  const auto x = parameter({1, 4, 64}, "x");
  const auto activation = std::make_shared<op::Relu>(x);
  const auto convolution =
      std::make_shared<op::Convolution>(activation, random_constant({8, 4, 1}, 1), ov::Strides{1},
                                        ov::CoordinateDiff{0}, ov::CoordinateDiff{0}, ov::Strides{1});
  convolution->set_friendly_name("convolution");
  const auto product = std::make_shared<op::MatMul>(activation, random_constant({64, 16}, 2), false, false);
  product->set_friendly_name("product");
  return as_model({product, convolution}, {x});
}

Tensor with_outliers(unsigned seed) {
  Tensor tensor = random_tensor({4, 64}, seed);
  for (std::size_t i = 5; i < tensor.size(); i += 64) tensor.data<float>()[i] *= 50;
  return tensor;
}

TEST(SmoothPlan, LeavesAProductWhoseStatisticsAreOfAnotherAxis) {
  const Model model = convolution_and_product();
  std::vector<Tensor> inputs;
  for (unsigned i = 0; i < 8; ++i) inputs.push_back(with_outliers(i));
  const Statistics statistics =
      observe(model, observation_points(model), loader_of(unlabelled(inputs)), {}).snapshots.back();
  Plan plan;
  plan.recipes.set("smooth_quant", true);
  for (const QuantizableOp& op : quantizable_ops(model))
    plan.ops[op.name] = {Precision::Int8,
                         {.symmetry = Symmetry::Asymmetric},
                         {.granularity = Granularity::PerChannel, .symmetry = Symmetry::Symmetric, .bits = 7}};
  const Edits edits = resolve(model, plan, statistics);
  ASSERT_THAT(edits.ops, SizeIs(2));
  ASSERT_EQ(edits.ops.front().op, "convolution") << "so the statistics are those of its channels";
  for (const OpEdit& edit : edits.ops) EXPECT_THAT(edit.input_divisors, IsEmpty()) << edit.op;
}

}  // namespace
}  // namespace lpot
