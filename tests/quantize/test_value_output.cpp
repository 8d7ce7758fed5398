// SmoothQuant between the value and the output product of attention, folded into the value product.
#include <algorithm>
#include <cmath>

#include "lpot/quantize/graph/channel_pairs.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/quantize.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/writers/openvino.h"
#include "tests/support/attention.h"
#include "tests/support/edits.h"
#include "tests/support/files.h"
#include "tests/support/memory_data.h"
#include "tests/support/output_error.h"

namespace lpot {
namespace {

using ::testing::IsEmpty;

Plan all_int8(const Model& model, double alpha, bool smooth = true) {
  Plan plan;
  if (smooth) plan.recipes.set("smooth_quant", true);
  if (smooth && alpha > 0) plan.recipes.set("smooth_quant_alpha", alpha);
  for (const QuantizableOp& op : quantizable_ops(model))
    plan.ops[op.name] = {Precision::Int8,
                         {Algorithm::MinMax, Granularity::PerTensor, Symmetry::Asymmetric, 8},
                         {Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 7}};
  return plan;
}

Statistics calibrated(const Model& model) {
  std::vector<Tensor> inputs;
  for (unsigned i = 0; i < 8; ++i) inputs.push_back(random_tensor({6, 128}, 70 + i));
  return observe(model, observation_points(model), loader_of(unlabelled(inputs)), {}).snapshots.back();
}

const OpEdit& edit_of(const Edits& edits, const std::string& op) {
  return *std::find_if(edits.ops.begin(), edits.ops.end(), [&](const OpEdit& edit) { return edit.op == op; });
}

double error(const Model& model, const Model& exact) {
  return output_error(model, exact, random_tensor({2, 6, 128}, 5));
}

TEST(ValueOutputPairs, AreFoundThroughAttentionHeads) {
  for (const bool computed : {false, true}) {
    const auto pairs = channel_pairs(attention({.computed_shapes = computed}));
    ASSERT_EQ(pairs.size(), 1u) << computed;
    EXPECT_EQ(pairs[0].first, "value");
    EXPECT_EQ(pairs[0].second, "out");
    EXPECT_EQ(pairs[0].bias, "value/bias");
    EXPECT_EQ(pairs[0].mix, "mix");
  }
  EXPECT_THAT(channel_pairs(attention({.values_read_twice = true})), IsEmpty());
}

TEST(ValueOutputPairs, NeedNoDivisionBeforeTheOutputProduct) {
  const Model model = attention({.outlier = 40});
  const Edits edits = resolve(model, all_int8(model, 0.5), calibrated(model));
  EXPECT_TRUE(edit_of(edits, "out").divisors_folded);
  EXPECT_THAT(edit_of(edits, "out").written_divisors(), IsEmpty());
  EXPECT_FALSE(edit_of(edits, "query").divisors_folded) << "its activation is the model's input";
  for (const OpInfo& op : list_ops(apply(model, edits))) EXPECT_NE(op.name, "joined/quantize/divided");
}

// The weights that stay in fp32 show the effect of the recipe on all weights: divided values, multiplied readers.
TEST(ValueOutputPairs, AreExactInFp32) {
  const Model model = attention({.outlier = 40});
  Plan plan = all_int8(model, 0.5);
  plan.ops.at("value") = OpPlan{};
  const Edits edits = resolve(model, plan, calibrated(model));
  Edits exact;
  exact.constants = edits.constants;
  ASSERT_EQ(exact.constants.size(), 2u) << "weights and bias of the value product";
  const std::vector<float>& divisors = edit_of(edits, "out").input_divisors;
  Shape shape;
  for (const QuantizableOp& op : quantizable_ops(model)) {
    if (op.name != "out") continue;
    std::vector<float> weights = weights_of(model, op, shape);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= divisors[i / shape[1]];
    for (const auto& node : model.graph->get_ordered_ops())
      if (op_name(*node) == "out")
        exact.constants.push_back({node->get_input_node_ptr(1)->get_friendly_name(), std::move(weights)});
  }
  EXPECT_GT(*std::max_element(divisors.begin(), divisors.end()) / *std::min_element(divisors.begin(), divisors.end()),
            5);
  EXPECT_LT(error(apply(model, exact), model), 1e-5);
}

TEST(ValueOutputPairs, ReduceTheErrorOfOutlierChannels) {
  const Model model = attention({.outlier = 40});
  const Statistics statistics = calibrated(model);
  const double plain = error(quantize(model, all_int8(model, 0, false), statistics), model);
  const double smoothed = error(quantize(model, all_int8(model, 0), statistics), model);
  EXPECT_LT(2 * smoothed, plain);
}

TEST(ValueOutputPairs, WorkWithAnInt8AndAnFp32ValueProduct) {
  const Model model = attention({.outlier = 40});
  const Statistics statistics = calibrated(model);
  Plan plan = all_int8(model, 0);
  EXPECT_LT(error(quantize(model, plan, statistics), model), 0.05);
  plan.ops.at("value") = OpPlan{};
  EXPECT_LT(error(quantize(model, plan, statistics), model), 0.05);
}

}  // namespace
}  // namespace lpot
