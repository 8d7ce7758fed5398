#include <algorithm>

#include "support.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;
using Texts = std::vector<std::string>;
using Numbers = std::vector<double>;

std::unique_ptr<Dataset> dummy(const Texts& shape, std::map<std::string, Value> values = {}) {
  values.emplace("shape", shape);
  values.emplace("low", Numbers{-128});
  values.emplace("high", Numbers{127});
  values.emplace("dtype", Texts{"float32"});
  values.emplace("label", true);
  return make_dataset(component("dummy", std::move(values)));
}

std::string config_error_of(const Texts& shape, const std::map<std::string, Value>& values = {}) {
  return message_of<ConfigError>([&] { dummy(shape, values); });
}

TEST(Dummy, ReturnsSamplesOfTheShapeWithLabelZero) {
  const auto dataset = dummy({"10", "3", "4", "5"});
  ASSERT_EQ(dataset->size(), 10u);
  const Sample sample = dataset->at(9);
  EXPECT_EQ(sample.inputs.at(0).describe(), "f32 [3,4,5]");
  EXPECT_EQ(*sample.label.data<std::int64_t>(), 0);
  EXPECT_TRUE(dummy({"10", "3"}, {{"label", false}})->at(0).label.empty());
}

TEST(Dummy, ReturnsTheSameValuesEveryTimeAndOthersForOtherSamples) {
  const auto values = [](std::size_t index) { return values_of<float>(dummy({"5", "100"})->at(index).inputs[0]); };
  EXPECT_EQ(values(3), values(3));
  EXPECT_NE(values(3), values(4));
}

TEST(Dummy, SpreadsValuesOverTheWholeRange) {
  const auto values = values_of<float>(dummy({"1", "10000"})->at(0).inputs[0]);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*low, -128);
  EXPECT_LT(*low, -127);
  EXPECT_GT(*high, 126);
  EXPECT_LE(*high, 127);
}

TEST(Dummy, KeepsIntegersBelowHigh) {
  const auto dataset = dummy({"1", "10000"}, {{"low", Numbers{0}}, {"high", Numbers{3}}, {"dtype", Texts{"int64"}}});
  const auto values = values_of<std::int64_t>(dataset->at(0).inputs[0]);
  EXPECT_EQ(*std::min_element(values.begin(), values.end()), 0);
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 2);
}

TEST(Dummy, ReturnsSeveralInputsFromSeveralShapes) {
  const Sample sample = dummy({"8x3x2", "[8, 5]"}, {{"dtype", Texts{"float32", "int32"}}})->at(0);
  EXPECT_EQ(sample.inputs.at(0).describe(), "f32 [3,2]");
  EXPECT_EQ(sample.inputs.at(1).describe(), "i32 [5]");
}

TEST(Dummy, RejectsInvalidShapes) {
  EXPECT_THAT(config_error_of({}), HasSubstr("empty list"));
  EXPECT_THAT(config_error_of({"ten"}), HasSubstr("got 'ten'"));
  EXPECT_THAT(config_error_of({"0", "3"}), HasSubstr("first dimension"));
  EXPECT_THAT(config_error_of({"8x3", "9x3"}), HasSubstr("equal for all inputs"));
  EXPECT_THAT(config_error_of({"8", "8x3"}), HasSubstr("the list contains numbers and shapes"));
  EXPECT_THAT(config_error_of({"1", "4294967296", "4294967296"}), HasSubstr("has no elements or too many"));
}

TEST(Dummy, RejectsListsThatDoNotMatchTheInputs) {
  EXPECT_THAT(config_error_of({"8", "3"}, {{"low", Numbers{1, 2}}}), HasSubstr("low: 2 values for 1 tensors"));
  EXPECT_THAT(config_error_of({"8", "3"}, {{"low", Numbers{200}}}), HasSubstr("low 200 is greater than high 127"));
}

std::unique_ptr<Dataset> dummy_v2(const Texts& input_shape, std::map<std::string, Value> values = {}) {
  values.emplace("input_shape", input_shape);
  values.emplace("low", Numbers{-128});
  values.emplace("high", Numbers{127});
  values.emplace("dtype", Texts{"float32"});
  values.emplace("sample_size", std::int64_t{1000});
  return make_dataset(component("dummy_v2", std::move(values)));
}

TEST(DummyV2, ReturnsSamplesOfTheShape) {
  const auto dataset = dummy_v2({"3", "4", "5"});
  EXPECT_EQ(dataset->size(), 1000u);
  EXPECT_EQ(dataset->at(999).inputs.at(0).describe(), "f32 [3,4,5]");
  EXPECT_TRUE(dataset->at(0).label.empty());
}

TEST(DummyV2, ReturnsSeveralInputsAndALabel) {
  const auto dataset = dummy_v2({"[3, 2]", "[5]"}, {{"label_shape", Texts{"1"}},
                                                    {"low", Numbers{0, 0, 2}},
                                                    {"high", Numbers{1, 1, 5}},
                                                    {"dtype", Texts{"float32", "uint8", "int64"}}});
  const Sample sample = dataset->at(0);
  EXPECT_EQ(sample.inputs.at(0).describe(), "f32 [3,2]");
  EXPECT_EQ(sample.inputs.at(1).describe(), "u8 [5]");
  EXPECT_EQ(sample.label.describe(), "i64 [1]");
  EXPECT_GE(sample.label.value_at(0), 2);
}

TEST(DummyV2, RejectsInvalidParameters) {
  const auto error = [](const Texts& shape, const std::map<std::string, Value>& values = {}) {
    return message_of<ConfigError>([&] { dummy_v2(shape, values); });
  };
  EXPECT_THAT(error({"3"}, {{"label_shape", Texts{"1x2", "2x3"}}}), HasSubstr("label_shape: 2 shapes, expected one"));
  EXPECT_THAT(error({"3"}, {{"sample_size", std::int64_t{0}}}), HasSubstr("sample_size: expected at least 1"));
  EXPECT_THAT(error({"3", "0"}), HasSubstr("[3,0] has no elements or too many"));
}

}  // namespace
}  // namespace lpot
