#include "lpot/tune/auto_config/preprocessing_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace lpot {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kClasses = 4;

// Scores for a class with a margin: sample i of class i % 4 gets `margin` for its class, and 0 for the others.
std::vector<OutputRow> rows_with_margin(std::size_t count, double margin, bool is_right = true) {
  std::vector<OutputRow> rows;
  for (std::size_t i = 0; i < count; ++i) {
    OutputRow row(kClasses, 0.0);
    // Noise that is the same for all candidates.
    for (std::size_t k = 0; k < kClasses; ++k) row[k] = 0.3 * std::sin(static_cast<double>(7 * i + 3 * k));
    row[is_right ? i % kClasses : 0] += margin;
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::int64_t> labels_of(std::size_t count, std::int64_t first = 0) {
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < count; ++i) labels.push_back(first + static_cast<std::int64_t>(i % kClasses));
  return labels;
}

TEST(Probabilities, AreNotNormalizedTwice) {
  EXPECT_THAT(to_probabilities({{0.25, 0.75}})[0], ElementsAre(0.25, 0.75));
  EXPECT_THAT(to_probabilities({{0, std::log(3.0)}})[0], ElementsAre(DoubleNear(0.25, 1e-9), DoubleNear(0.75, 1e-9)));
  EXPECT_NEAR(to_probabilities({{1000, 1000}})[0][0], 0.5, 1e-9) << "large scores do not overflow";
}

TEST(Fit, WithLabelsIsTheLogLikelihood) {
  const PreprocessingFit fit = fit_of("a", {{0.5, 0.5}, {0.25, 0.75}}, {0, 1});
  EXPECT_THAT(fit.values, ElementsAre(DoubleNear(std::log(0.5), 1e-9), DoubleNear(std::log(0.75), 1e-9)));
  EXPECT_EQ(fit.accuracy, 1.0);
  EXPECT_THAT(fit.describe(), HasSubstr("top-1 1.000, log-likelihood -0.49"));
}

TEST(Fit, ALabelThatIsNotAClassHasTheProbabilityZero) {
  const PreprocessingFit fit = fit_of("a", {{0.5, 0.5}, {0.25, 0.75}, {0.25, 0.75}}, {0, std::int64_t{1} << 40, -1});
  EXPECT_THAT(fit.values, ElementsAre(DoubleNear(std::log(0.5), 1e-9), testing::Lt(-20), testing::Lt(-20)));
  EXPECT_DOUBLE_EQ(*fit.accuracy, 1.0 / 3);
}

TEST(Fit, WithoutLabelsPrefersPredictionsThatDependOnTheSample) {
  const auto certain = fit_of("a", rows_with_margin(32, 5), {});
  const auto constant = fit_of("b", rows_with_margin(32, 9, false), {});
  const auto uncertain = fit_of("c", rows_with_margin(32, 1), {});
  EXPECT_GT(constant.confidence, certain.confidence) << "confidence alone would choose wrong";
  EXPECT_EQ(best_fit({uncertain, constant, certain}), 2u);
  EXPECT_TRUE(clearly_better(certain, constant));
  EXPECT_TRUE(fits_nothing(constant, {}, kClasses));
  EXPECT_FALSE(fits_nothing(certain, {}, kClasses));
}

TEST(Fit, OfOverflowedOutputsIsTheWorst) {
  const auto broken = fit_of("a", {{NAN, 0.0}, {0.0, 1.0}}, {0, 1});
  EXPECT_EQ(broken.accuracy, 0.0);
  EXPECT_EQ(best_fit({broken, fit_of("b", {{0.0, 0.1}, {0.1, 0.0}}, {0, 1})}), 1u);
}

TEST(Fit, ChanceIsTheShareOfTheMostFrequentLabel) {
  EXPECT_DOUBLE_EQ(chance_accuracy({0, 0, 0, 1}, 2), 0.75);
  EXPECT_DOUBLE_EQ(chance_accuracy({}, 10), 0.1);
  const auto wrong = fit_of("a", rows_with_margin(64, 5, false), labels_of(64));
  EXPECT_TRUE(fits_nothing(wrong, labels_of(64), kClasses)) << *wrong.accuracy;
}

TEST(LabelHypothesis, ListsPossibleOffsets) {
  EXPECT_THAT(label_hypotheses(0, 999, 1000).offsets, ElementsAre(0));
  EXPECT_THAT(label_hypotheses(0, 999, 1001).offsets, ElementsAre(0, 1));
  EXPECT_THAT(label_hypotheses(1, 1000, 1000).offsets, ElementsAre(-1));
  EXPECT_THAT(label_hypotheses(0, 5, 3).offsets, testing::IsEmpty());
}

// Candidates whose outputs have the given margins; counts the samples that ran.
class SearchTest : public testing::Test {
 protected:
  PreprocessingChoice choose(const std::vector<double>& margins, const LabelHypotheses& labels) {
    std::vector<PreprocessingCandidate> candidates;
    for (std::size_t i = 0; i < margins.size(); ++i) candidates.push_back({std::to_string(i), {"", {}}});
    samples_.assign(margins.size(), 0);
    return choose_preprocessing(candidates, labels, [&](const PreprocessingCandidate& candidate, std::size_t count) {
      const auto index = static_cast<std::size_t>(std::stoi(candidate.name));
      const std::size_t available = std::min(count, size_);
      samples_[index] = std::max(samples_[index], available);
      return SampleOutputs{
          .shape = {kClasses},
          .rows = rows_with_margin(available, margins[index], are_right_),
          .labels = labels.has_labels ? labels_of(available, first_label_) : std::vector<std::int64_t>{},
          .samples = available};
    });
  }

  std::size_t size_ = 10000;
  bool are_right_ = true;
  std::int64_t first_label_ = 0;
  std::vector<std::size_t> samples_;
};

TEST_F(SearchTest, RunsOnlyTheBestOnMoreSamples) {
  const PreprocessingChoice choice = choose({0.1, 0.5, 2, 0.2, 0.3}, {true, {0}});
  EXPECT_EQ(choice.chosen, 2u);
  EXPECT_TRUE(choice.is_clear);
  EXPECT_TRUE(choice.has_fit);
  EXPECT_TRUE(choice.uses_labels);
  EXPECT_EQ(choice.fits[0].name, "2");
  EXPECT_THAT(samples_, ElementsAre(32, 128, 128, 32, 128));
  EXPECT_EQ(choice.outputs.samples, 128u);
}

TEST_F(SearchTest, PrefersTheFirstOfEqualsAndSaysSo) {
  const PreprocessingChoice choice = choose({0.1, 2, 2}, {true, {0}});
  EXPECT_EQ(choice.chosen, 1u);
  EXPECT_FALSE(choice.is_clear);
  EXPECT_EQ(samples_[2], 512u) << "more samples were tried";
}

TEST_F(SearchTest, StopsAtTheEndOfTheData) {
  size_ = 20;
  const PreprocessingChoice choice = choose({2, 2}, {true, {0}});
  EXPECT_EQ(choice.outputs.samples, 20u);
  EXPECT_FALSE(choice.is_clear);
}

TEST_F(SearchTest, WorksWithoutLabels) {
  const PreprocessingChoice choice = choose({0.1, 3, 0.5}, {});
  EXPECT_EQ(choice.chosen, 1u);
  EXPECT_FALSE(choice.uses_labels);
  EXPECT_FALSE(choice.outputs.rows.empty());
}

TEST_F(SearchTest, FindsTheOffsetOfLabels) {
  first_label_ = 1;
  const PreprocessingChoice choice = choose({0.1, 3}, label_hypotheses(1, kClasses, kClasses));
  EXPECT_EQ(choice.label_offset, -1);
  EXPECT_EQ(choice.fits[0].accuracy, 1.0);
}

TEST_F(SearchTest, DoesWithoutLabelsThatDoNotFit) {
  first_label_ = 2;  // classes 2 to 5, the model has 4
  const PreprocessingChoice outside = choose({0.1, 3}, {true, {0}});
  EXPECT_FALSE(outside.uses_labels);
  EXPECT_EQ(outside.chosen, 1u);
}

TEST_F(SearchTest, DoesWithoutLabelsOfOtherRows) {
  const PreprocessingCandidate only{"steps", {"", {}}};
  const PreprocessingChoice choice =
      choose_preprocessing({only}, {true, {0}}, [](const PreprocessingCandidate&, std::size_t count) {
        return SampleOutputs{.shape = {kClasses},
                             .rows = rows_with_margin(3 * count, 3),
                             .labels = labels_of(count),
                             .samples = 3 * count,
                             .has_row_per_sample = false};
      });
  EXPECT_FALSE(choice.uses_labels);
}

TEST_F(SearchTest, SaysThatNothingFits) {
  are_right_ = false;  // the same prediction for all samples
  EXPECT_FALSE(choose({5, 6, 7}, {}).has_fit);
  EXPECT_FALSE(choose({5, 6, 7}, {true, {0}}).uses_labels);
}

}  // namespace
}  // namespace lpot
