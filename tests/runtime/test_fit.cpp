#include "lpot/core/error.h"
#include "lpot/runtime/fit.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Model images() {
  const auto x = parameter({-1, 3, 8, 8}, "image");
  return as_model({std::make_shared<op::Relu>(x)}, {x});
}

Model two_inputs() {
  const auto ids = parameter({-1, -1}, "input_ids:0", ov::element::i64);
  const auto mask = parameter({-1, -1}, "mask:0", ov::element::i64);
  return as_model({std::make_shared<op::Add>(ids, mask)}, {ids, mask});
}

TEST(InputFit, NamesTypesAndShapesOfBothSides) {
  const InputFit fit(images(), {});
  const std::string shape = message_of<DataError>([&] { fit.apply({Tensor(ElementType::F32, {4, 8, 8, 3})}); });
  EXPECT_THAT(shape, AllOf(HasSubstr("image f32 [?,3,8,8]"), HasSubstr("f32 [4,8,8,3]"), HasSubstr("Transpose")));
  const std::string type = message_of<DataError>([&] { fit.apply({Tensor(ElementType::U8, {4, 3, 8, 8})}); });
  EXPECT_THAT(type, AllOf(HasSubstr("image f32 [?,3,8,8]"), HasSubstr("u8 [4,3,8,8]"), HasSubstr("ToTensor")));
}

TEST(InputFit, WidensIntegersAndFloats) {
  const InputFit fit(two_inputs(), {});
  const auto inputs =
      fit.apply({Tensor::from<std::int32_t>({1, 2}, {5, -6}), Tensor::from<std::int64_t>({1, 2}, {1, 2})});
  EXPECT_EQ(inputs[0].element_type(), ElementType::I64);
  EXPECT_EQ(inputs[0].data<std::int64_t>()[1], -6);
  EXPECT_EQ(InputFit(images(), {}).apply({Tensor(ElementType::F64, {1, 3, 8, 8})})[0].element_type(), ElementType::F32);
}

TEST(InputFit, FindsInputsByNameWithAndWithoutTheOutputNumber) {
  const auto first = Tensor::from<std::int64_t>({1, 1}, {1}), second = Tensor::from<std::int64_t>({1, 1}, {2});
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"mask", "input_ids"}, std::vector<std::string>{"mask:0", "input_ids:0"}}) {
    const auto inputs = InputFit(two_inputs(), names).apply({first, second});
    EXPECT_EQ(inputs[0].data<std::int64_t>()[0], 2);
    EXPECT_EQ(inputs[1].data<std::int64_t>()[0], 1);
  }
}

TEST(InputFit, NamesAnInputThatGetsNothing) {
  EXPECT_THAT(message_of<DataError>([] { InputFit(two_inputs(), {"input_ids"}); }),
              HasSubstr("input 'mask:0' gets no data: the data set has input_ids"));
}

TEST(InputFit, NamesTheNearestInputForAnUnknownOne) {
  EXPECT_THAT(message_of<DataError>([] {
                InputFit(two_inputs(), {"input_ids", "mask", "input_id"});
              }),
              AllOf(HasSubstr("no input 'input_id'"), HasSubstr("did you mean 'input_ids'?")));
}

TEST(InputFit, SaysHowManyTensorsAreMissing) {
  EXPECT_THAT(message_of<DataError>([] {
                InputFit(two_inputs(), {}).apply({Tensor(ElementType::I64, {1, 1})});
              }),
              AllOf(HasSubstr("the model has 2 inputs"), HasSubstr("the data give 1")));
}

TEST(InputFit, TakesASampleThatAlreadyIsAWholeInput) {
  const auto inputs = InputFit(images(), {}).apply({Tensor(ElementType::F32, {1, 5, 3, 8, 8})});
  EXPECT_EQ(inputs[0].shape(), (Shape{5, 3, 8, 8}));
}

}  // namespace
}  // namespace lpot
