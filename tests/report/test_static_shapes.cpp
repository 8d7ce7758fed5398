#include <gmock/gmock.h>

#include "lpot/report/static_shapes.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Model texts(const ov::PartialShape& shape, bool named = true) {
  const auto ids = parameter(shape, "ids"), mask = parameter(shape, "mask");
  if (!named) ids->output(0).set_names({});
  return as_model({std::make_shared<op::Add>(ids, mask)}, {ids, mask});
}

const std::vector<Tensor> kSample(2, Tensor(ElementType::F32, {1, 64}));

TEST(StaticShapes, AreThoseOfTheSampleWhereTheModelHasOpenDimensions) {
  const StaticShapes shapes = static_shapes(texts({-1, -1}), kSample, {{"ids", "mask"}, true, {32, 64}});
  ASSERT_EQ(shapes.inputs.size(), 2u);
  EXPECT_THAT(shapes.inputs[1].shape, ElementsAre(1, 64));
  EXPECT_THAT(shapes.lengths, ElementsAre(32, 64));
  EXPECT_EQ(shapes.python_line(), "model.reshape({\"ids\": [1, 64], \"mask\": [1, 64]})");
  EXPECT_EQ(shapes.cpp_line(),
            "model->reshape(std::map<std::string, ov::PartialShape>{{\"ids\", {1, 64}}, {\"mask\", {1, 64}}});");
  EXPECT_TRUE(static_shapes(texts({1, 64}), kSample).empty());
}

TEST(StaticShapes, HaveNoOtherLengthsWhereTheSampleIsOfNone) {
  EXPECT_THAT(static_shapes(texts({-1, -1}), kSample, {{}, true, {30, 60, 90}}).lengths, IsEmpty());
}

TEST(StaticShapes, UseNumbersForInputsWithoutNames) {
  const StaticShapes shapes = static_shapes(texts({-1, 64}, false), kSample);
  EXPECT_EQ(shapes.python_line(), "model.reshape({0: [1, 64], 1: [1, 64]})");
  EXPECT_EQ(shapes.cpp_line(), "model->reshape(std::map<std::size_t, ov::PartialShape>{{0, {1, 64}}, {1, {1, 64}}});");
}

// Contains the generated C++ line, so that it is compiled and run.
TEST(StaticShapes, MakeAModelStatic) {
  const Model of_names = texts({-1, -1});
  auto model = of_names.graph;
  model->reshape(std::map<std::string, ov::PartialShape>{{"ids", {1, 64}}, {"mask", {1, 64}}});
  EXPECT_FALSE(model->is_dynamic());
  const Model of_numbers = texts({-1, -1}, false);
  model = of_numbers.graph;
  model->reshape(std::map<std::size_t, ov::PartialShape>{{0, {1, 64}}, {1, {1, 64}}});
  EXPECT_FALSE(model->is_dynamic());
}

}  // namespace
}  // namespace lpot
