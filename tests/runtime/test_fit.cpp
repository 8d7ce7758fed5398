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
    const auto inputs = InputFit(two_inputs(), {names}).apply({first, second});
    EXPECT_EQ(inputs[0].data<std::int64_t>()[0], 2);
    EXPECT_EQ(inputs[1].data<std::int64_t>()[0], 1);
  }
}

TEST(InputFit, NamesAnInputWithoutData) {
  EXPECT_THAT(message_of<DataError>([] { InputFit(two_inputs(), {{"input_ids"}}); }),
              HasSubstr("no data for the model input 'mask:0'; the data set has input_ids"));
}

TEST(InputFit, SuggestsTheNearestInputForAnUnknownName) {
  EXPECT_THAT(message_of<DataError>([] {
                InputFit(two_inputs(), {{"input_ids", "mask", "input_id"}});
              }),
              AllOf(HasSubstr("no input 'input_id'"), HasSubstr("did you mean 'input_ids'?")));
}

TEST(InputFit, ReportsTheNumberOfTensors) {
  EXPECT_THAT(message_of<DataError>([] {
                InputFit(two_inputs(), {}).apply({Tensor(ElementType::I64, {1, 1})});
              }),
              AllOf(HasSubstr("the model has 2 inputs"),
                    HasSubstr("but a sample of the data has 1 tensor. Provide a tensor for each")));
}

TEST(InputFit, AcceptsASampleThatIsAlreadyACompleteInput) {
  const auto inputs = InputFit(images(), {}).apply({Tensor(ElementType::F32, {1, 5, 3, 8, 8})});
  EXPECT_EQ(inputs[0].shape(), (Shape{5, 3, 8, 8}));
}

Model text_model(const std::vector<std::string>& names, std::int64_t length = -1) {
  std::vector<std::shared_ptr<op::Parameter>> inputs;
  ov::OutputVector all;
  for (const std::string& name : names) {
    inputs.push_back(parameter({-1, length}, name, ov::element::i32));
    all.push_back(inputs.back());
  }
  return as_model({std::make_shared<op::Concat>(all, 1)}, inputs);
}

const std::vector<std::string> kText{"input_ids", "attention_mask", "token_type_ids", "unique_ids"};

// The tensors of the data in the order of the model, each identified by its only value.
std::vector<double> fitted(const std::vector<std::string>& model_inputs) {
  std::vector<Tensor> batch;
  for (std::int64_t i = 0; i < 4; ++i) batch.push_back(Tensor::from<std::int64_t>({1, 1}, {i}));
  std::vector<double> order;
  for (const Tensor& input : InputFit(text_model(model_inputs), {kText, true}).apply(batch))
    order.push_back(input.value_at(0));
  return order;
}

TEST(InputFit, FindsAlternativeNamesAndIgnoresUnusedTensors) {
  using ::testing::ElementsAre;
  EXPECT_THAT(fitted({"segment_ids:0", "input_mask", "input_ids"}), ElementsAre(2, 1, 0));
  EXPECT_THAT(fitted({"input_ids", "attention_mask"}), ElementsAre(0, 1)) << "as DistilBERT";
}

TEST(InputFit, AssignsTheRemainingTensorsToUnknownNamesInOrder) {
  using ::testing::ElementsAre;
  EXPECT_THAT(fitted({"a", "b", "c"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(fitted({"token_type_ids", "a", "b"}), ElementsAre(2, 0, 1));
  EXPECT_THAT(fitted({"IteratorGetNext:0", "IteratorGetNext:3", "IteratorGetNext:2"}), ElementsAre(0, 3, 2))
      << "outputs of a pipeline have their own numbers";
  EXPECT_THAT(message_of<DataError>([] {
                fitted({"a", "b", "c", "d", "e"});
              }),
              HasSubstr("no data for the model input 'e'"));
}

TEST(InputFit, PadsShortRowsToTheLengthOfTheModelAndRejectsLongRows) {
  const InputFit fit(text_model({"input_ids", "input_mask"}, 4), {{"input_ids", "input_mask"}, true});
  const auto inputs = fit.apply(
      {Tensor::from<std::int64_t>({2, 2}, {1, 2, 3, 4}), Tensor::from<std::int64_t>({2, 3}, {1, 1, 1, 1, 1, 0})});
  EXPECT_EQ(inputs[0].shape(), (Shape{2, 4}));
  EXPECT_EQ(inputs[0].value_at(4), 3);
  EXPECT_EQ(inputs[0].value_at(3), 0);
  EXPECT_EQ(inputs[1].value_at(6), 0);
  EXPECT_THAT(message_of<DataError>([&] {
                fit.apply({Tensor(ElementType::I64, {2, 5}), Tensor(ElementType::I64, {2, 5})});
              }),
              AllOf(HasSubstr("input_ids i32 [?,4]"), HasSubstr("i64 [2,5]"), HasSubstr("max_seq_length")));
}

TEST(InputFit, PadsTextsToAFewLengthsIfTheModelHasAMask) {
  const InputNaming naming{kText, true, {4, 8}};
  const auto length = [&](const std::vector<std::string>& model_inputs, std::size_t of_data) {
    const std::vector<Tensor> batch(4, Tensor(ElementType::I64, {2, of_data}));
    return InputFit(text_model(model_inputs), naming).apply(batch)[0].shape()[1];
  };
  EXPECT_EQ(length({"input_ids", "input_mask"}, 3), 4u);
  EXPECT_EQ(length({"input_ids", "input_mask"}, 4), 4u);
  EXPECT_EQ(length({"input_ids", "input_mask"}, 5), 8u);
  EXPECT_EQ(length({"input_ids", "input_mask"}, 9), 9u) << "longer than any of them";
  EXPECT_EQ(length({"node:0", "node:1"}, 3), 4u) << "the second tensor is the mask, whatever its name";
  EXPECT_EQ(length({"input_ids", "token_type_ids"}, 3), 3u) << "without a mask, filling counts as text";
}

TEST(InputFit, ConvertsSingleValuesToRowsOfOne) {
  const InputFit fit(text_model({"a"}, 1), {{"unique_ids"}, true});
  EXPECT_EQ(fit.apply({Tensor::from<std::int64_t>({2}, {5, 6})})[0].shape(), (Shape{2, 1}));
}

// y = x + h and hn = y.
Model with_state() {
  const auto x = parameter({-1, 3}, "x"), h = parameter({-1, 3}, "h");
  const auto y = std::make_shared<op::Add>(x, h);
  y->output(0).set_names({"hn"});
  Model model = as_model({y}, {h, x});
  model.state = {{.output = 0, .input = 0}};
  return model;
}

TEST(InputFit, GivesAScalarInputTheValueOfAllSamples) {
  const auto rate = parameter(ov::PartialShape{}, "rate", ov::element::i64);
  const InputFit fit(as_model({std::make_shared<op::Abs>(rate)}, {rate}), {});
  const auto inputs = fit.apply({Tensor::from<std::int64_t>({2}, {16000, 16000})});
  EXPECT_TRUE(inputs[0].shape().empty());
  EXPECT_EQ(inputs[0].value_at(0), 16000);
  EXPECT_EQ(fit.apply({Tensor::from<std::int64_t>({1, 1}, {7})})[0].shape().size(), 0u);
  EXPECT_THAT(message_of<DataError>([&] {
                fit.apply({Tensor::from<std::int64_t>({2}, {16000, 8000})});
              }),
              AllOf(HasSubstr("16000 and 8000"), HasSubstr("batch_size: 1")));
}

TEST(InputFit, FillsStatesWithZerosOrWithTheGivenState) {
  const Tensor x = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6}), h = Tensor::from<float>({2, 3}, {7, 8, 9, 1, 2, 3});
  for (const std::vector<std::string>& names : {std::vector<std::string>{}, std::vector<std::string>{"x"}}) {
    const InputFit fit(with_state(), {names});
    const auto first = fit.apply({x}), second = fit.apply({x}, {h});
    ASSERT_EQ(first.size(), 2u);
    EXPECT_EQ(first[0].shape(), (Shape{2, 3}));
    EXPECT_EQ(first[0].value_at(5), 0);
    EXPECT_EQ(first[1].value_at(5), 6);
    EXPECT_EQ(second[0].value_at(0), 7);
    EXPECT_EQ(second[1].value_at(0), 1);
  }
}

TEST(InputFit, RefusesDataForAState) {
  const Tensor x(ElementType::F32, {1, 3});
  EXPECT_THAT(message_of<DataError>([] {
                InputFit(with_state(), {{"x", "h"}});
              }),
              HasSubstr("the data set has data for the input 'h', which model.state feeds from the output 'hn'"));
  EXPECT_THAT(message_of<DataError>([&] {
                InputFit(with_state(), {}).apply({x, x});
              }),
              HasSubstr("the data have 2 tensors, but the model has 1 inputs besides those of model.state"));
}

}  // namespace
}  // namespace lpot
