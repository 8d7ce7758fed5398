#include "lpot/evaluate/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace lpot {
namespace {

using ::testing::ElementsAre;

Judgements judged(const std::vector<double>& values) {
  Judgements judgements;
  for (const double value : values) judgements.push_back(Judgement{value, 0});
  return judgements;
}

TEST(Verdict, IsCertainOnlyWhenTheSamplesToComeCannotChangeIt) {
  const Judgements baseline = judged(std::vector<double>(10, 1.0));
  Verdict verdict(baseline, {}, {.lowest = 0.8});
  for (std::size_t i = 0; i < 2; ++i) verdict.add(i, 0);
  EXPECT_FALSE(verdict.has_failed()) << "8 of 10 can still be right";
  verdict.add(2, 0);
  EXPECT_TRUE(verdict.has_failed()) << "7 of 10 at most";
}

// Whatever the order, the verdict is that of the whole: a model that passes is never stopped, one that fails always is
// when its last sample is in.
TEST(Verdict, AgreesWithTheWholeForRandomModelsAndOrders) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t count = 1 + random() % 60;
    const Judgements baseline = judged(std::vector<double>(count, 1.0));
    const double lowest = static_cast<double>(random() % 101) / 100;
    Verdict verdict(baseline, {}, {.lowest = lowest});
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

TEST(Verdict, EstimatesWithTheFirstModelsLosses) {
  // The first model loses 4 of 8 samples, 2 of them among the first 4.
  const Judgements baseline = judged({1, 1, 1, 1, 1, 1, 1, 1});
  const Judgements first = judged({0, 0, 1, 1, 0, 0, 1, 1});
  Verdict verdict(baseline, first, {.lowest = 1});
  const std::vector<double> values{0, 1, 1, 1};
  for (std::size_t i = 0; i < values.size(); ++i) verdict.add(i, values[i]);
  EXPECT_DOUBLE_EQ(verdict.estimate(), 6.0 / 8) << "1 lost where the first lost 2 of 4: 2 of 8 in all";
  Verdict without(baseline, {}, {.lowest = 1});
  without.add(0, 0);
  EXPECT_DOUBLE_EQ(without.estimate(), 7.0 / 8);
}

TEST(Hits, AreBoundedAsTheHypergeometricDistributionSays) {
  // All were drawn: nothing is uncertain.
  EXPECT_EQ(most_hits(20, 20, 7, 0.001), 7u);
  EXPECT_EQ(fewest_hits(20, 20, 7, 0.001), 7u);
  // Nothing was drawn: everything is possible.
  EXPECT_EQ(most_hits(20, 0, 0, 0.001), 20u);
  EXPECT_EQ(fewest_hits(20, 0, 0, 0.001), 0u);
  // By hand: with 5 of 10 drawn and no hit, 3 hits have the probability C(7,5)/C(10,5) = 21/252 = 0.083, 4 have
  // C(6,5)/C(10,5) = 6/252 = 0.024.
  EXPECT_EQ(most_hits(10, 5, 0, 0.05), 3u);
  EXPECT_EQ(most_hits(10, 5, 0, 0.02), 4u);
}

TEST(Hits, HoldAsOftenAsTheyPromise) {
  std::mt19937 random(3);
  int wrong = 0;
  constexpr int kRounds = 4000;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<int> population(200, 0);
    const std::size_t kind = random() % 60;
    for (std::size_t i = 0; i < kind; ++i) population[i] = 1;
    std::shuffle(population.begin(), population.end(), random);
    const auto hits = static_cast<std::size_t>(std::count(population.begin(), population.begin() + 80, 1));
    wrong += kind > most_hits(200, 80, hits, 0.02) || kind < fewest_hits(200, 80, hits, 0.02);
  }
  EXPECT_LT(wrong, kRounds * 0.06) << "twice 2%, with room for chance";
}

// With a confidence, a model that loses 5% of what fp32 gets right ends early; one that loses nothing never does.
TEST(Verdict, WithAConfidenceEndsEarlierAndIsRarelyWrong) {
  constexpr std::size_t kCount = 2000;
  std::mt19937 random(11);
  int stopped_wrongly = 0;
  std::size_t evaluated = 0;
  for (int round = 0; round < 200; ++round) {
    Judgements baseline;
    std::vector<double> worse, equal;
    for (std::size_t i = 0; i < kCount; ++i) {
      baseline.push_back(Judgement{random() % 10 ? 1.0 : 0.0, 0});
      const double flipped = 1 - baseline.back()->value;
      worse.push_back(random() % 20 ? baseline.back()->value : 0.0);
      equal.push_back(random() % 50 ? baseline.back()->value
                                    : flipped);  // flips both ways; 1.6% net loss of 2% allowed
    }
    double total = 0;
    for (const auto& each : baseline) total += each->value;
    const VerdictOptions options{.lowest = (total / kCount) - 0.02, .confidence = 0.999, .random_from = 0};
    const auto run = [&](const std::vector<double>& values) {
      Verdict verdict(baseline, {}, options);
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

TEST(Order, TakesWhatWasWrongFirstThenTheNearestThenTheUnknown) {
  const Judgements first{Judgement{1, 5}, Judgement{0, 0}, Judgement{1, 0.1}, std::nullopt, Judgement{1, 2}};
  EXPECT_THAT(hardest_first(first, false, 1).positions, ElementsAre(1, 2, 3, 4, 0));
  const EvaluationOrder random = hardest_first(first, true, 1);
  EXPECT_EQ(random.random_from, 2u);
  EXPECT_THAT(random.positions, ::testing::UnorderedElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(random.positions[0], 1u);
  EXPECT_EQ(random.positions[1], 2u);
}

TEST(Order, HasEveryPositionOnceWhateverIsKnown) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    Judgements first(random() % 30);
    for (auto& each : first)
      if (random() % 3) each = Judgement{random() % 3 ? 1.0 : 0.0, static_cast<double>(random() % 9)};
    for (const bool random_rest : {false, true}) {
      auto positions = hardest_first(first, random_rest, 9).positions;
      std::sort(positions.begin(), positions.end());
      for (std::size_t i = 0; i < first.size(); ++i) ASSERT_EQ(positions[i], i);
    }
  }
}

}  // namespace
}  // namespace lpot
