// Concatenations whose readers have no weights, and tensors that share levels: checks the executed kernels.
#include "lpot/quantize/graph/concat_regions.h"

#include <gmock/gmock.h>

#include "lpot/quantize/graph/unified_levels.h"
#include "tests/quantize/graph/quantized_graph.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Layer = std::shared_ptr<ov::Node>;

// A scale and a bias per channel (a batch norm in front of a convolution), then ReLU.
Layer scaled_relu(const ov::Output<ov::Node>& tensor, std::size_t channels, unsigned seed) {
  const auto scaled = std::make_shared<op::Multiply>(tensor, random_constant({1, channels, 1, 1}, seed, 0.05f, 0.15f));
  return std::make_shared<op::Relu>(
      std::make_shared<op::Add>(scaled, random_constant({1, channels, 1, 1}, seed + 50, -0.2f, 0.2f)));
}

Layer joined(const ov::OutputVector& tensors) { return std::make_shared<op::Concat>(tensors, 1); }

Layer pooled_by_max(const ov::Output<ov::Node>& tensor, const std::string& name) {
  const ov::Strides ones{1, 1};
  return named(
      std::make_shared<ov::op::v8::MaxPool>(tensor, ones, ones, ov::Shape{1, 1}, ov::Shape{1, 1}, ov::Shape{3, 3}),
      name);
}

// conv a -> ReLU -> max pooling -> two layers of a dense block, which begins with `before`. `float_reader`: the last
// concatenation is also an output of the model.
Model dense_block(bool float_reader) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  Layer block = pooled_by_max(std::make_shared<op::Relu>(conv3x3(x, 4, 16, "a")), "pool");
  std::size_t channels = 16;
  for (unsigned layer = 1; layer <= 3; ++layer, channels += 16) {
    const auto added = conv3x3(scaled_relu(block, channels, layer), channels, 16, "b" + std::to_string(layer), layer);
    block = joined({block, added});
  }
  ov::OutputVector outputs{conv3x3(scaled_relu(block, channels, 9), channels, 4, "c", 9)};
  if (float_reader) outputs.push_back(block);
  return as_model(outputs, {x});
}

TEST(ConcatRegions, RunInInt8WithTheOpsAroundThem) {
  const Quantized block(dense_block(false));
  EXPECT_THAT(block.precisions_of("Concatenation"), AllOf(SizeIs(3), Each("u8")));
  EXPECT_THAT(block.precisions_of("Pooling"), ElementsAre("u8"));
  EXPECT_EQ(block.output_precision(), "u8");
  EXPECT_LT(block.error(), 0.05);
}

TEST(ConcatRegions, StayInFp32IfAnOutputOfTheModelReadsThem) {
  EXPECT_THAT(concat_regions(dense_block(true)), IsEmpty());
  EXPECT_THAT(Quantized(dense_block(true)).precisions_of("Pooling"), ElementsAre("f32"));
}

TEST(ConcatRegions, StayInFp32IfOneKernelDoes) {
  const Model model = dense_block(false);
  Plan plan = plan_with_all_int8(model);
  plan.ops.at("c") = {};
  EXPECT_THAT(Quantized(model, plan).edits.inputs, IsEmpty());
}

TEST(ConcatRegions, StayInFp32IfQuantizersDoNotMoveThroughConcatenations) {
  const Model model = dense_block(false);
  Plan plan = plan_with_all_int8(model);
  plan.recipes.set("through_concat", false);
  EXPECT_THAT(Quantized(model, plan).precisions_of("Pooling"), ElementsAre("f32"));
}

// Two modules: convolutions read the first concatenation, and max pooling carries it to the second one.
Model two_modules(float scale) {
  const auto x = parameter({1, 4, 8, 8}, "x");
  const auto branch = [&](const ov::Output<ov::Node>& tensor, std::size_t in, const std::string& name, float by) {
    const auto weights = random_constant({8, in, 1, 1}, static_cast<unsigned>(in) + 3, -by, by);
    const auto kernel =
        named(std::make_shared<op::Convolution>(tensor, weights, ov::Strides{1, 1}, ov::CoordinateDiff{0, 0},
                                                ov::CoordinateDiff{0, 0}, ov::Strides{1, 1}),
              name);
    return std::make_shared<op::Relu>(kernel);
  };
  const auto first = joined({branch(x, 4, "a", 1), branch(x, 4, "b", 0.9f)});
  const auto second = joined({branch(first, 16, "c", scale), pooled_by_max(first, "pool")});
  return as_model({branch(second, 24, "d", 1)}, {x});
}

TEST(UnifiedLevels, ContainTheRangesOfPooledAndConcatenatedTensors) {
  const Quantized modules(two_modules(0.2f));
  EXPECT_EQ(modules.edits.ops[2].levels, modules.edits.ops[3].levels);
  EXPECT_THAT(modules.quantizers(), SizeIs(4));  // the input, the two branches, and the branch of the second module
  EXPECT_LT(modules.error(), 0.05);
}

TEST(UnifiedLevels, StayApartIfTheRangesAreVeryDifferent) {
  const Quantized modules(two_modules(2.0f));
  const Range first = modules.edits.ops[2].levels, second = modules.edits.ops[3].levels;
  EXPECT_GT(second.high, first.high);
}

}  // namespace
}  // namespace lpot
