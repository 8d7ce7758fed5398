#include "lpot/evaluate/loss_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace lpot {
namespace {

// A classifier whose margins have a normal distribution, and models that add noise to its margins.
struct NoisyModels {
  explicit NoisyModels(std::uint32_t seed) : random(seed) {
    std::normal_distribution<double> margin(1, 2);
    for (int i = 0; i < 1000; ++i) baseline.push_back(score(margin(random)));
  }

  SampleScores with_noise(double deviation) {
    std::normal_distribution<double> noise(0, deviation);
    SampleScores scores;
    for (const auto& each : baseline) scores.push_back(score(each->margin + noise(random)));
    return scores;
  }

  double loss(const SampleScores& model) const {
    double sum = 0;
    for (std::size_t i = 0; i < model.size(); ++i) sum += baseline[i]->value - model[i]->value;
    return sum / static_cast<double>(model.size());
  }

  static SampleScore score(double margin) { return {margin > 0 ? 1.0 : 0.0, margin}; }

  std::mt19937 random;
  SampleScores baseline;
};

TEST(LossSample, KeepsItsPositionsWhenItGrows) {
  NoisyModels models(1);
  const LossSample sample(models.baseline, 7);
  const auto few = sample.positions(50), many = sample.positions(200);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_EQ(std::set<std::size_t>(many.begin(), many.end()).size(), 200u);
  EXPECT_EQ(sample.positions(5000).size(), 1000u);
}

TEST(LossSample, DrawsSmallMarginsMoreOften) {
  NoisyModels models(2);
  double drawn = 0, all = 0;
  const LossSample sample(models.baseline, 7);
  for (const std::size_t i : sample.positions(100)) drawn += std::fabs(models.baseline[i]->margin) / 100;
  for (const auto& score : models.baseline) all += std::fabs(score->margin) / 1000;
  EXPECT_LT(drawn, 0.5 * all);
}

TEST(LossSample, IsExactIfAllSamplesAreDrawn) {
  NoisyModels models(3);
  const SampleScores model = models.with_noise(1);
  const LossEstimate estimate = LossSample(models.baseline, 7).estimate(model, 1000);
  EXPECT_NEAR(estimate.loss, models.loss(model), 1e-12);
  EXPECT_EQ(estimate.error, 0);
}

// Over many plans and samples, the mean error is far below the error of a single estimate.
TEST(LossSample, IsUnbiasedOverManyModels) {
  double bias = 0, squares = 0;
  constexpr int kModels = 300;
  for (int i = 0; i < kModels; ++i) {
    NoisyModels models(100 + static_cast<std::uint32_t>(i));
    const SampleScores model = models.with_noise(0.2 + 0.005 * i);
    const LossEstimate estimate =
        LossSample(models.baseline, 1000 + static_cast<std::uint64_t>(i)).estimate(model, 125);
    bias += (estimate.loss - models.loss(model)) / kModels;
    squares += std::pow(estimate.loss - models.loss(model), 2) / kModels;
  }
  EXPECT_LT(std::fabs(bias), 0.004);
  EXPECT_LT(std::sqrt(squares), 0.03);
}

// The spread that one model predicts is the standard deviation of the losses of models with as much noise.
TEST(LossSample, PredictsHowMuchLossesOfSimilarModelsDiffer) {
  NoisyModels models(5);
  const LossSample sample(models.baseline, 7);
  std::vector<double> losses;
  double predicted = 0;
  constexpr int kModels = 100;
  for (int i = 0; i < kModels; ++i) {
    const SampleScores model = models.with_noise(0.3);
    losses.push_back(models.loss(model));
    predicted += sample.estimate(model, 100).spread.value() / kModels;
  }
  double mean = 0, variance = 0;
  for (const double loss : losses) mean += loss / kModels;
  for (const double loss : losses) variance += (loss - mean) * (loss - mean) / kModels;
  EXPECT_NEAR(predicted, std::sqrt(variance), 0.4 * std::sqrt(variance));
}

TEST(LossSample, RanksModelsByTheirNoise) {
  NoisyModels models(4);
  const LossSample sample(models.baseline, 7);
  EXPECT_LT(sample.estimate(models.with_noise(0.1), 125).loss, sample.estimate(models.with_noise(3), 125).loss);
}

// The log-softmax of a certain answer has infinite margins. The noise of these samples is unknown, and the other
// samples have none.
TEST(LossSample, LeavesOutTheNoiseOfInfiniteMargins) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    NoisyModels models(seed);
    SampleScores finite = models.baseline;
    for (std::size_t i = 0; i < 1000; i += 10) {
      models.baseline[i] = NoisyModels::score(std::numeric_limits<double>::infinity());
      finite[i] = NoisyModels::score(10);
    }
    const LossSample sample(models.baseline, seed);
    EXPECT_EQ(sample.estimate(models.baseline, 500).loss, 0) << seed;
    EXPECT_EQ(sample.estimate(finite, 500).loss, 0) << seed;
  }
}

TEST(LossSample, UsesOnlyChangesIfNoDrawnSampleHasAMargin) {
  SampleScores baseline;
  for (int i = 0; i < 10; ++i) baseline.push_back(NoisyModels::score(1 + i));
  SampleScores model = baseline;
  const LossSample sample(baseline, 7);
  const std::size_t drawn = sample.positions(1).front();
  model[drawn] = SampleScore{0, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_DOUBLE_EQ(sample.estimate(model, 1).loss, 0.1 / sample.probabilities(1)[drawn]);
}

TEST(LossSample, CountsOnlyChangesIfMarginsAreUnknown) {
  SampleScores baseline(100, SampleScore{1, 0}), model = baseline;
  const LossSample sample(baseline, 7);
  const auto drawn = sample.positions(20);
  model[drawn[0]] = SampleScore{0, 0};
  const LossEstimate estimate = sample.estimate(model, 20);
  EXPECT_NEAR(estimate.loss, 0.05, 0.02) << "one of twenty";
  EXPECT_EQ(estimate.used_samples, 20u);
  EXPECT_GT(estimate.error, 0);
}

}  // namespace
}  // namespace lpot
