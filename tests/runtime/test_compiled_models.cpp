// Which models stay in the cache of compiled models.
#include "lpot/runtime/compiled_models.h"

#include "lpot/core/large_models.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

struct CompiledModelsTest : ::testing::Test {
  static Model network(const std::string& name) {
    const auto x = parameter({-1, 3, 8, 8}, "x");
    return as_model({conv3x3(x, 3, 4, name, 1)}, {x});
  }

  const std::vector<Tensor> sample{random_tensor({1, 3, 8, 8}, 1)};
  CompiledModels compiled{sample};
  const Model a = network("a"), b = network("b"), c = network("c");
};

TEST_F(CompiledModelsTest, CompileAModelOnceWithAndOnceWithoutTheProfiler) {
  const auto first = compiled.get(a, false);
  EXPECT_EQ(compiled.get(a, false), first);
  EXPECT_NE(compiled.get(a, true), first);
  EXPECT_NE(compiled.get(b, false), first);
  Model again = a;
  EXPECT_EQ(compiled.get(again, false), first) << "a copy shares its graph";
}

TEST_F(CompiledModelsTest, HaveTheShapesOfTheSample) {
  const auto executable = compiled.get(a, true);
  EXPECT_EQ(executable->infer(sample).front().shape(), (Shape{1, 4, 8, 8}));
  for (const ExecutedOp& op : executable->executed_ops()) EXPECT_GT(op.output_bytes, 0u) << op.name;
}

TEST_F(CompiledModelsTest, KeepModelsInUseAndTheMostRecentlyUsedOthers) {
  std::shared_ptr<Executable> held = compiled.get(a, false);
  const std::weak_ptr<Executable> second = compiled.get(b, false), third = compiled.get(c, false);
  compiled.get(b, false);  // now used after c
  compiled.release_unused(1);
  EXPECT_FALSE(second.expired());
  EXPECT_TRUE(third.expired());
  EXPECT_EQ(compiled.get(a, false), held);
  const std::weak_ptr<Executable> first = held;
  held.reset();
  compiled.release_unused(0);
  EXPECT_TRUE(first.expired());
}

TEST_F(CompiledModelsTest, OnlyReturnsTheModelsInOrderAndReleasesTheOthers) {
  const std::weak_ptr<Executable> first = compiled.get(a, false);
  const auto second = compiled.get(b, false);
  const auto both = compiled.only({&c, &b}, false);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[1], second);
  EXPECT_EQ(both[0], compiled.get(c, false));
  EXPECT_TRUE(first.expired());
}

TEST_F(CompiledModelsTest, UseOneCoreForShortModelsAndAllForLargeOnes) {
  compiled.get(a, false);
  EXPECT_EQ(compiled.threads(), 1);
  CompiledModels of_large(sample);
  Model large = a;
  large.size_bytes = kLargeModel;
  of_large.get(large, false);
  EXPECT_EQ(of_large.threads(), 0);
  CompiledModels with_two(sample, 2);
  with_two.get(a, false);
  EXPECT_EQ(with_two.threads(), 2);
}

TEST_F(CompiledModelsTest, CompileAModelWithItsOwnShapesIfTheSampleDoesNotMatch) {
  const auto x = parameter({1, 3, 8, 8}, "x");
  const auto rows = op::Constant::create(ov::element::i64, {2}, std::vector<std::int64_t>{1, 192});
  const auto reshaped = std::make_shared<ov::op::v1::Reshape>(x, rows, false);
  const Model fixed = as_model({reshaped}, {x});
  CompiledModels larger({random_tensor({2, 3, 8, 8}, 1)});
  EXPECT_EQ(larger.get(fixed, false)->infer(sample).front().shape(), (Shape{1, 192}));
}

}  // namespace
}  // namespace lpot
