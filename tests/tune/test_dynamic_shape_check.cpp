#include "lpot/tune/dynamic_shape_check.h"

#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Optional;

std::vector<Tensor> outputs_of(const std::vector<float>& values) {
  Tensor tensor(ElementType::F32, {1, values.size()});
  std::copy(values.begin(), values.end(), tensor.data<float>());
  std::vector<Tensor> outputs;
  outputs.push_back(std::move(tensor));
  return outputs;
}

std::optional<std::string> warning_for(const std::vector<float>& with_dynamic, const std::vector<float>& unquantized) {
  return difference_warning({outputs_of({3, 4}), outputs_of(with_dynamic), [&] { return outputs_of(unquantized); }});
}

TEST(DynamicShapeCheck, AcceptsRoundingAndPartsOfTheQuantizationError) {
  EXPECT_EQ(warning_for({3, 4}, {3, 4}), std::nullopt);
  EXPECT_EQ(warning_for({3.05f, 4.05f}, {3, 4}), std::nullopt);
  EXPECT_EQ(warning_for({3.4f, 4.4f}, {3.5f, 4.5f}), std::nullopt);
}

TEST(DynamicShapeCheck, NamesALargeDifferenceAndTheRemedy) {
  EXPECT_THAT(warning_for({3, 1}, {3.1f, 4}),
              Optional(AllOf(HasSubstr("0.43"), HasSubstr("0.014"), HasSubstr("model.input_shapes"))));
}

TEST(DynamicShapeCheck, RunsBothModels) {
  const auto x = parameter({-1, 16}, "x");
  const Model model = as_model({product(x, 16, 4, "classes", 1)}, {x});
  const auto sample = random_tensor({1, 16}, 2);
  int compiled = 0;
  const Compile compile = [&](const Model& each) {
    ++compiled;
    return compile_for({sample})(each);
  };
  EXPECT_EQ(dynamic_shape_warning(model, model, {sample}, compile), std::nullopt);
  EXPECT_EQ(compiled, 1);
  const auto fixed = parameter({1, 16}, "x");
  const Model static_model = as_model({product(fixed, 16, 4, "classes", 1)}, {fixed});
  EXPECT_EQ(dynamic_shape_warning(static_model, static_model, {sample}, compile), std::nullopt);
  EXPECT_EQ(compiled, 1);
}

}  // namespace
}  // namespace lpot
