#include <fstream>

#include "lpot/core/text_tensor.h"
#include "lpot/metrics/text_error_rate.h"
#include "support.h"
#include "tests/support/components.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;
using Texts = std::vector<std::string>;

std::unique_ptr<Metric> text_metric(const std::string& name, std::map<std::string, Value> values = {}) {
  return make_metric(with_defaults(metrics(), name, std::move(values)));
}

void add_texts(Metric& metric, const Texts& given, const Texts& expected) {
  std::vector<Tensor> labels;
  for (const std::string& text : expected) labels.push_back(to_text_tensor({text}));
  metric.update({to_text_tensor(given)}, labels);
}

double rate(const std::string& name, const Texts& given, const Texts& expected,
            std::map<std::string, Value> values = {}) {
  const auto metric = text_metric(name, std::move(values));
  add_texts(*metric, given, expected);
  return metric->result();
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char each : line) {
    if (each == '\t')
      fields.emplace_back();
    else
      fields.back() += each;
  }
  return fields;
}

TEST(TextErrorRate, EqualsJiwer) {
  std::ifstream file(LPOT_SOURCE_DIR "/tests/metrics/expected/texts.tsv");
  int cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    const auto header = split(line);
    ASSERT_EQ(header.at(0), "case");
    Texts given, expected;
    for (int i = 0; i < std::stoi(header[1]) && std::getline(file, line); ++i) {
      given.push_back(split(line).at(0));
      expected.push_back(split(line).at(1));
    }
    EXPECT_NEAR(rate("CER", given, expected), std::stod(header[2]), 1e-12) << header[2];
    EXPECT_NEAR(rate("WER", given, expected), std::stod(header[3]), 1e-12) << header[3];
  }
  EXPECT_EQ(cases, 10);
}

TEST(TextErrorRate, CountsInsertionsDeletionsAndSubstitutions) {
  const auto distance = [](const std::string& a, const std::string& b) {
    return edit_distance<char>(std::span(a), std::span(b));
  };
  EXPECT_EQ(distance("kitten", "sitting"), 3u);
  EXPECT_EQ(distance("", "abc"), 3u);
  EXPECT_EQ(distance("abc", ""), 3u);
  EXPECT_EQ(distance("abcd", "bcde"), 2u);
}

TEST(TextErrorRate, IgnoresWhatTheOptionsSay) {
  EXPECT_EQ(rate("CER", {"HELLO Ä"}, {"hello ä"}, {{"ignore_case", true}}), 0);
  EXPECT_EQ(rate("CER", {"HELLO"}, {"hello"}), 1);
  EXPECT_EQ(rate("WER", {"well, done!"}, {"well done"}, {{"ignore_punctuation", true}}), 0);
  EXPECT_EQ(rate("WER", {"well, done!"}, {"well done"}), 1);
  EXPECT_EQ(rate("CER", {"a b c"}, {"abc"}, {{"ignore_spaces", true}}), 0);
  EXPECT_DOUBLE_EQ(rate("CER", {"a b c"}, {"abc"}), 2.0 / 3);
}

TEST(TextErrorRate, CountsCodePointsAndNotBytes) { EXPECT_DOUBLE_EQ(rate("CER", {"東京x"}, {"東京駅"}), 1.0 / 3); }

TEST(TextErrorRate, IsBetterIfLower) {
  EXPECT_FALSE(text_metric("CER")->higher_is_better());
  EXPECT_FALSE(text_metric("WER")->labels_are_baseline());
  EXPECT_TRUE(text_metric("WER", {{"compare_label", false}})->labels_are_baseline());
}

TEST(TextErrorRate, RejectsEmptyReferences) {
  EXPECT_THAT(data_error_of([] {
                rate("CER", {"a", "b"}, {"a", ""});
              }),
              HasSubstr("reference text of sample 1 of the batch is empty"));
  EXPECT_THAT(data_error_of([] { rate("WER", {"a", "b"}, {"a", " "}); }), HasSubstr("sample 1"));
  EXPECT_EQ(rate("CER", {"a", "b"}, {"a", ""}, {{"allow_empty", true}}), 1);
  EXPECT_THAT(data_error_of([] {
                rate("CER", {"a"}, {""}, {{"allow_empty", true}});
              }),
              HasSubstr("the reference texts are empty"));
  EXPECT_EQ(rate("CER", {"a", "b"}, {"a", ""}, {{"compare_label", false}}), 1);
}

TEST(TextErrorRate, NamesThePostprocessingThatMakesTexts) {
  EXPECT_THAT(data_error_of([] { text_metric("CER")->update({matrix({{0.5f}})}, {to_text_tensor({"a"})}); }),
              HasSubstr("the first output is f32 [1,1], expected texts; add the postprocessing transform CTC"));
  EXPECT_THAT(data_error_of([] { text_metric("CER")->update({to_text_tensor({"a"})}, scalars({3})); }),
              HasSubstr("the label of sample 0 of the batch is i64 [], expected one text"));
}

TEST(TextErrorRate, RejectsMergingOtherOptions) {
  EXPECT_THROW(text_metric("CER")->merge(*text_metric("WER")), Error);
  EXPECT_THROW(text_metric("CER")->merge(*text_metric("CER", {{"compare_label", false}})), Error);
}

}  // namespace
}  // namespace lpot
