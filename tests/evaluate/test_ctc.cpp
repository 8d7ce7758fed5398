#include <cmath>

#include "lpot/core/error.h"
#include "lpot/core/text_tensor.h"
#include "lpot/evaluate/evaluate.h"
#include "tests/support/components.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const Postprocess> ctc_of(std::map<std::string, Value> values) {
  return make_postprocesses({with_defaults(postprocesses(), "CTC", std::move(values))})[0];
}

// Scores [samples, steps, classes] with the highest score at these classes.
Tensor scores_of(const std::vector<std::vector<std::size_t>>& samples, std::size_t classes) {
  Tensor scores(ElementType::F32, {samples.size(), samples[0].size(), classes});
  float* row = scores.data<float>();
  for (const auto& steps : samples)
    for (const std::size_t step : steps) {
      row[step] = 1;
      row += classes;
    }
  return scores;
}

// The same scores with the dimensions in another order: [1,0,2] gives [steps, samples, classes].
Tensor permuted(const Tensor& from, const std::vector<std::size_t>& order) {
  const Shape& s = from.shape();
  Tensor to(ElementType::F32, {s[order[0]], s[order[1]], s[order[2]]});
  Shape at(3);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Shape source{i / (s[1] * s[2]), i / s[2] % s[1], i % s[2]};
    for (std::size_t k = 0; k < 3; ++k) at[k] = source[order[k]];
    to.data<float>()[(at[0] * to.shape()[1] + at[1]) * to.shape()[2] + at[2]] = from.data<float>()[i];
  }
  return to;
}

std::vector<std::string> decoded(std::map<std::string, Value> values, const Tensor& scores, std::size_t samples) {
  return to_texts(ctc_of(std::move(values))->apply({{scores}, std::vector<Tensor>(samples)}).outputs.at(0));
}

std::string ctc_error(std::map<std::string, Value> values, const Tensor& scores) {
  try {
    decoded(std::move(values), scores, 1);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

const Value kAbc = std::string("abc");

TEST(Ctc, MergesRepeatsAndLeavesOutBlanks) {
  const Tensor scores = scores_of({{1, 1, 0, 1, 2, 2, 0}, {0, 0, 0, 0, 0, 0, 0}, {3, 2, 1, 1, 1, 1, 1}}, 4);
  EXPECT_THAT(decoded({{"characters", kAbc}}, scores, 3), ElementsAre("aab", "", "cba"));
}

TEST(Ctc, FindsTheBlankAtItsIndex) {
  EXPECT_THAT(decoded({{"characters", kAbc}, {"blank", std::string("last")}}, scores_of({{0, 3, 2, 2}}, 4), 1),
              ElementsAre("ac"));
  EXPECT_THAT(decoded({{"characters", kAbc}, {"blank", std::string("1")}}, scores_of({{0, 1, 2, 3}}, 4), 1),
              ElementsAre("abc"));
  EXPECT_THAT(ctc_error({{"characters", kAbc}, {"blank", std::string("5")}}, scores_of({{0}}, 4)),
              HasSubstr("blank: expected first, last or a number from 0 to 3, got '5'"));
}

TEST(Ctc, ReadsAllLayouts) {
  const Tensor scores = scores_of({{1, 0, 2, 3, 3}, {3, 3, 3, 0, 1}}, 4);
  EXPECT_THAT(decoded({{"characters", kAbc}, {"layout", std::string("TNC")}}, permuted(scores, {1, 0, 2}), 2),
              ElementsAre("abc", "ca"));
  EXPECT_THAT(decoded({{"characters", kAbc}, {"layout", std::string("NCT")}}, permuted(scores, {0, 2, 1}), 2),
              ElementsAre("abc", "ca"));
}

TEST(Ctc, ReadsAFileWithOneCharacterPerLine) {
  const TempFolder folder;
  folder.write("keys.txt", "a\r\n東\n|\n\"\n");
  const Value file = (folder / "keys.txt").string();
  EXPECT_THAT(decoded({{"character_file", file}, {"append_space", true}}, scores_of({{1, 2, 5, 4}}, 6), 1),
              ElementsAre("a東 \""));
  EXPECT_THAT(decoded({{"character_file", file}, {"word_separator", std::string("|")}}, scores_of({{1, 3, 2}}, 5), 1),
              ElementsAre("a 東"));
}

TEST(Ctc, TreatsNanAsBlank) {
  Tensor scores = scores_of({{1, 2, 2}}, 4);
  scores.data<float>()[4] = NAN;
  EXPECT_THAT(decoded({{"characters", kAbc}}, scores, 1), ElementsAre("ab"));
}

TEST(Ctc, RejectsTheListOfAnotherModel) {
  EXPECT_THAT(ctc_error({{"characters", kAbc}}, scores_of({{1}}, 7)),
              AllOf(HasSubstr("characters: 3 characters, and the blank make 4 classes; the output f32 [1,1,7] of the "
                              "model has 7. Use the character list of this model."),
                    ::testing::Not(HasSubstr("append_space"))));
  EXPECT_THAT(ctc_error({{"characters", kAbc}}, scores_of({{1}}, 5)), HasSubstr("With append_space true"));
  EXPECT_THAT(ctc_error({{"characters", kAbc}, {"append_space", true}}, scores_of({{1}}, 4)),
              HasSubstr("With append_space false"));
}

TEST(Ctc, RejectsListsThatCannotBeRead) {
  const TempFolder folder;
  folder.write("empty.txt", "");
  folder.write("latin.txt", "a\n\xe4\n");
  const auto error_of = [&](const char* name) {
    return ctc_error({{"character_file", (folder / name).string()}}, scores_of({{1}}, 4));
  };
  EXPECT_THAT(error_of("empty.txt"), HasSubstr("empty.txt: the list is empty"));
  EXPECT_THAT(error_of("latin.txt"), HasSubstr("latin.txt: byte 2 is not UTF-8"));
  EXPECT_THAT(error_of("none.txt"), HasSubstr("none.txt"));
  EXPECT_THAT(ctc_error({}, scores_of({{1}}, 4)), HasSubstr("expected either characters"));
}

TEST(Ctc, RejectsOtherOutputs) {
  EXPECT_THAT(ctc_error({{"characters", kAbc}}, Tensor(ElementType::F32, {1, 4})),
              HasSubstr("found the model outputs f32 [1,4] for 1 samples; expected scores in the layout NTC"));
}

// The identity on scores [?,3,4], as a recognizer with three steps.
Model recognizer() {
  const auto x = parameter({-1, 3, 4}, "x");
  return as_model({std::make_shared<op::Relu>(x)}, {x});
}

TEST(Ctc, GivesTextsToMetricsThatCompareWithFp32) {
  std::vector<Sample> samples;
  for (const std::vector<std::size_t>& steps : {std::vector<std::size_t>{1, 0, 2}, {3, 3, 0}, {1, 1, 1}})
    samples.push_back({{scores_of({steps}, 4).slice(0)}, {}});
  const Postprocesses chain{ctc_of({{"characters", kAbc}})};
  for (const bool with_mse : {false, true}) {
    std::vector<Component> components{with_defaults(metrics(), "CER", {{"compare_label", false}})};
    if (with_mse) components.push_back(with_defaults(metrics(), "MSE", {{"compare_label", false}}));
    const auto named = make_metrics(components);
    const Evaluation fp32 =
        run_evaluation(recognizer(), loader_of(samples, 2), named, {.postprocess = chain, .is_baseline = true});
    EXPECT_EQ(fp32.score.accuracy(), 0);
    ASSERT_EQ(fp32.outputs.size(), 3u);
    samples[1].inputs[0] = scores_of({{3, 3, 2}}, 4).slice(0);  // "cb" instead of "c": one edit of four characters
    const Evaluation other =
        run_evaluation(recognizer(), loader_of(samples, 2), named, {.postprocess = chain, .baseline = &fp32.outputs});
    EXPECT_DOUBLE_EQ(other.score.accuracy(), 0.25);
    samples[1].inputs[0] = scores_of({{3, 3, 0}}, 4).slice(0);
    EXPECT_EQ(other.score.metrics.size() == 2 && other.score.metrics[1].second > 0, with_mse);
  }
}

}  // namespace
}  // namespace lpot
