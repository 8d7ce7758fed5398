// Matrix products that read a tensor of unknown rank, for example after a squeeze of unknown axes.
#include "lpot/quantize/quantize.h"
#include "tests/quantize/graph/quantized_graph.h"

namespace lpot {
namespace {

TEST(DynamicRank, AllowsDivisorsAndBiasCorrection) {
  const auto x = parameter({-1, -1, 8}, "x");
  const auto squeezed = named(std::make_shared<op::Squeeze>(x), "squeezed");
  const Model model = as_model({product(squeezed, 8, 16, "product")}, {x});
  Plan plan = plan_with_all_int8(model);
  ASSERT_TRUE(plan.ops.contains("product"));
  for (const std::string name : {"bias_correction", "smooth_quant"}) plan.recipes.set(name, true);
  plan.recipes.set("smooth_quant_alpha", 0.5);
  std::vector<Tensor> samples;
  for (unsigned i = 0; i < 20; ++i) samples.push_back(random_tensor({5, 8}, i));
  const Statistics statistics =
      observe(model, observation_points(model), loader_of(unlabelled(samples), 2), {}).snapshots.back();
  const Edits edits = resolve(model, plan, statistics);
  ASSERT_EQ(edits.ops.size(), 1u);
  EXPECT_FALSE(edits.ops[0].written_divisors().empty());
  EXPECT_FALSE(edits.ops[0].bias.empty());
  const auto outputs_of_size = [](const Model& any, const Shape& shape) {
    const Model fixed = any.clone();
    fixed.graph->reshape(ov::PartialShape(ov::Shape(shape.begin(), shape.end())));
    return run_plainly(fixed.graph, {random_tensor(shape, 7)})[0];
  };
  for (const Shape& shape : {Shape{2, 5, 8}, Shape{1, 5, 8}})
    EXPECT_THAT(outputs_of_size(apply(model, edits), shape),
                testing::Pointwise(testing::FloatNear(0.2f), outputs_of_size(model, shape)));
}

}  // namespace
}  // namespace lpot
