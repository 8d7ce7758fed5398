#include "lpot/evaluate/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace lpot {
namespace {

using ::testing::ElementsAre;

SampleScores scores_of(const std::vector<double>& values) {
  SampleScores sample_scores;
  for (const double value : values) sample_scores.push_back(SampleScore{value, 0});
  return sample_scores;
}

TEST(Verdict, FailsOnlyIfTheRemainingSamplesCannotChangeIt) {
  const SampleScores baseline = scores_of(std::vector<double>(10, 1.0));
  Verdict verdict(baseline, {.lowest = 0.8});
  for (std::size_t i = 0; i < 2; ++i) verdict.add(i, 0);
  EXPECT_FALSE(verdict.has_failed()) << "8 of 10 can still be right";
  verdict.add(2, 0);
  EXPECT_TRUE(verdict.has_failed()) << "7 of 10 at most";
}

TEST(Verdict, WaitsForTheMinimumNumberOfSamples) {
  const SampleScores baseline = scores_of(std::vector<double>(10, 1.0));
  Verdict verdict(baseline, {.lowest = 0.8, .at_least = 5});
  for (std::size_t i = 0; i < 4; ++i) verdict.add(i, 0);
  EXPECT_FALSE(verdict.has_failed());
  verdict.add(4, 1);
  EXPECT_TRUE(verdict.has_failed());
}

// In any order the verdict agrees with the complete evaluation: a model that passes is never stopped, and a model that
// fails has failed by its last sample.
TEST(Verdict, AgreesWithTheCompleteEvaluationForRandomModelsAndOrders) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t count = 1 + random() % 60;
    const SampleScores baseline = scores_of(std::vector<double>(count, 1.0));
    const double lowest = static_cast<double>(random() % 101) / 100;
    Verdict verdict(baseline, {.lowest = lowest});
    double right = 0;
    bool stopped = false;
    for (std::size_t i = 0; i < count; ++i) {
      const double value = random() % 10 < 8 ? 1 : 0;
      right += value;
      verdict.add(i, value);
      stopped = stopped || verdict.has_failed();
    }
    EXPECT_EQ(stopped, right / static_cast<double>(count) < lowest) << round;
  }
}

TEST(Verdict, EstimatesTheSameLossRateForRandomSamples) {
  const SampleScores baseline = scores_of(std::vector<double>(16, 1.0));
  Verdict verdict(baseline, {.lowest = 1, .random_from = 4});
  for (std::size_t i = 0; i < 8; ++i) verdict.add(i, i < 5 ? 0 : 1);
  EXPECT_DOUBLE_EQ(verdict.estimate(), (16 - 5 - 8 * 0.25) / 16);
}

// Of six samples, the first two are a random sample in which each position had the probability 1/3. Sample 0 is lost.
TEST(Verdict, LetsTheRandomSampleRepresentTheSamplesThatWereNotReached) {
  const SampleScores baseline = scores_of(std::vector<double>(6, 1.0));
  const VerdictOptions options{.lowest = 1,
                               .random_from = 6,
                               .at_least = 2,
                               .probabilities = std::vector<double>(6, 1.0 / 3),
                               .ranks = {5, 0, 1, 2, 3, 4}};
  Verdict verdict(baseline, options);
  verdict.add(0, 0);
  verdict.add(1, 1);
  EXPECT_DOUBLE_EQ(verdict.estimate(), 3.0 / 6) << "one of two: half of all are lost";
  for (const std::size_t i : {2, 3}) verdict.add(i, 1);
  EXPECT_DOUBLE_EQ(verdict.estimate(), 3.0 / 6) << "sample 0 comes last, so it still represents three samples";
}

TEST(Verdict, CountsEverySampleOnceWhenAllAreEvaluated) {
  const SampleScores baseline = scores_of(std::vector<double>(6, 1.0));
  Verdict whole(baseline, {.lowest = 1});
  for (std::size_t i = 0; i < 6; ++i) whole.add(i, i == 0 ? 0 : 1);
  EXPECT_DOUBLE_EQ(whole.estimate(), 5.0 / 6);
}

TEST(Hits, AreBoundedByTheHypergeometricDistribution) {
  // All items were drawn, so nothing is uncertain.
  EXPECT_EQ(max_hits(20, 20, 7, 0.001), 7u);
  EXPECT_EQ(min_hits(20, 20, 7, 0.001), 7u);
  // No item was drawn, so everything is possible.
  EXPECT_EQ(max_hits(20, 0, 0, 0.001), 20u);
  EXPECT_EQ(min_hits(20, 0, 0, 0.001), 0u);
  // By hand: with 5 of 10 drawn and no hit, the probability is C(7,5)/C(10,5) = 21/252 = 0.083 for 3 hits and
  // C(6,5)/C(10,5) = 6/252 = 0.024 for 4 hits.
  EXPECT_EQ(max_hits(10, 5, 0, 0.05), 3u);
  EXPECT_EQ(max_hits(10, 5, 0, 0.02), 4u);
}

TEST(Hits, AreWithinTheBoundsWithTheGivenProbability) {
  std::mt19937 random(3);
  int wrong = 0;
  constexpr int kRounds = 4000;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<int> population(200, 0);
    const std::size_t kind = random() % 60;
    for (std::size_t i = 0; i < kind; ++i) population[i] = 1;
    std::shuffle(population.begin(), population.end(), random);
    const auto hits = static_cast<std::size_t>(std::count(population.begin(), population.begin() + 80, 1));
    wrong += kind > max_hits(200, 80, hits, 0.02) || kind < min_hits(200, 80, hits, 0.02);
  }
  EXPECT_LT(wrong, kRounds * 0.06) << "twice 2%, with a margin for chance";
}

// With a confidence, a model that loses 5% of the samples that fp32 gets right stops early. A model that loses nothing
// never does.
TEST(Verdict, WithAConfidenceStopsEarlierAndIsRarelyWrong) {
  constexpr std::size_t kCount = 2000;
  std::mt19937 random(11);
  int stopped_wrongly = 0;
  std::size_t evaluated = 0;
  for (int round = 0; round < 200; ++round) {
    SampleScores baseline;
    std::vector<double> worse, equal;
    for (std::size_t i = 0; i < kCount; ++i) {
      baseline.push_back(SampleScore{random() % 10 ? 1.0 : 0.0, 0});
      const double flipped = 1 - baseline.back()->value;
      worse.push_back(random() % 20 ? baseline.back()->value : 0.0);
      equal.push_back(random() % 50 ? baseline.back()->value
                                    : flipped);  // flips in both directions; 1.6% net loss of 2% allowed
    }
    double total = 0;
    for (const auto& each : baseline) total += each->value;
    const VerdictOptions options{.lowest = (total / kCount) - 0.02, .confidence = 0.999, .random_from = 0};
    const auto run = [&](const std::vector<double>& values) {
      Verdict verdict(baseline, options);
      for (std::size_t i = 0; i < kCount; ++i) {
        verdict.add(i, values[i]);
        if (verdict.has_failed()) return i + 1;
      }
      return kCount + 1;
    };
    evaluated += run(worse);
    double right = 0;
    for (const double value : equal) right += value;
    const bool passes = right / kCount >= options.lowest;
    stopped_wrongly += passes && run(equal) <= kCount;
  }
  EXPECT_LT(evaluated, 200 * kCount * 3 / 4);
  EXPECT_LE(stopped_wrongly, 2);
}

TEST(Order, StartsWithSamplesBothGotWrongThenAlternatesSmallMargins) {
  const auto right_by = [](double margin) { return SampleScore{1, margin}; };
  const SampleScore wrong{0, 0};
  const SampleScores baseline{right_by(9), wrong, right_by(0.2), right_by(5), right_by(4), right_by(8), wrong};
  const SampleScores first{right_by(9), right_by(3), right_by(7), right_by(0.1), std::nullopt, wrong, wrong};
  EXPECT_THAT(hardest_first(baseline, first, false, 1).positions, ElementsAre(6, 1, 5, 2, 3, 4, 0));
}

// A first model that fails badly says little, so samples that fp32 gets right by a small margin still come early.
TEST(Order, DoesNotRelyOnAFirstModelThatGetsAlmostAllWrong) {
  SampleScores baseline, first;
  for (int i = 0; i < 100; ++i) {
    baseline.push_back(SampleScore{i < 90 ? 1.0 : 0.0, i < 90 ? 90.0 - i : 0.0});
    first.push_back(SampleScore{i == 89 ? 1.0 : 0.0, i == 89 ? 3.0 : 0.0});
  }
  const auto positions = hardest_first(baseline, first, false, 1).positions;
  EXPECT_THAT(std::vector(positions.begin(), positions.begin() + 10),
              ::testing::UnorderedElementsAre(90, 91, 92, 93, 94, 95, 96, 97, 98, 99));
  EXPECT_THAT(std::vector(positions.begin() + 10, positions.begin() + 14),
              ::testing::UnorderedElementsAre(89, 88, 87, 86));
}

TEST(Order, IsRandomAfterAboutAsManyHardSamplesAsWereWrong) {
  SampleScores baseline(50, SampleScore{1, 2}), first(50, SampleScore{1, 1});
  baseline[3] = baseline[4] = first[3] = first[4] = first[5] = SampleScore{0, 0};
  const EvaluationOrder order = hardest_first(baseline, first, true, 1);
  EXPECT_EQ(order.random_from, 4u);
  EXPECT_THAT(std::vector(order.positions.begin(), order.positions.begin() + 3), ElementsAre(3, 4, 5));
  EXPECT_NE(order.positions, hardest_first(baseline, first, true, 2).positions);
}

TEST(Order, ContainsEveryPositionOnce) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    SampleScores first(random() % 30), baseline(first.size(), SampleScore{1, 1});
    for (auto& each : first)
      if (random() % 3) each = SampleScore{random() % 3 ? 1.0 : 0.0, static_cast<double>(random() % 9)};
    for (const bool random_rest : {false, true}) {
      auto positions = hardest_first(baseline, first, random_rest, 9).positions;
      std::sort(positions.begin(), positions.end());
      for (std::size_t i = 0; i < first.size(); ++i) ASSERT_EQ(positions[i], i);
    }
  }
}

}  // namespace
}  // namespace lpot
