#include "lpot/strategies/loss_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lpot {
namespace {

TEST(LossModel, ExtrapolatesInProportionToThePower) {
  LossModel model(0, 0);
  model.add({.noise = 1, .loss = 0.04});
  const LossPrediction predicted = model.predict(0.25);
  EXPECT_NEAR(predicted.loss, 0.01, 1e-12);
  EXPECT_NEAR(predicted.error, 0.01, 1e-12) << "in proportion to the root, it is 0.02";
}

TEST(LossModel, TheNearestKnownLossCountsMost) {
  LossModel model(0, 0);
  model.add({.noise = 1, .loss = 0.4});
  model.add({.noise = 0.02, .loss = 0.03});
  EXPECT_NEAR(model.predict(0.01).loss, 0.015, 0.002);
}

TEST(LossModel, AddsTheLossOfThePrecisionWithoutInt8) {
  LossModel model(0.005, 0);
  model.add({.noise = 1, .loss = 0.025});
  EXPECT_NEAR(model.predict(0.5).loss, 0.015, 1e-12);
  EXPECT_LT(model.probability_to_pass(0, 0.004), 0.01) << "the precision itself loses more";
}

TEST(LossModel, AnEstimateCorrectsThePrediction) {
  LossModel model(0, 0.001);
  model.add({.noise = 1, .loss = 0.02});
  const LossObservation estimate{.noise = 0.5, .loss = 0.002, .error = 0.001};
  const double before = model.probability_to_pass(0.5, 0.004);
  EXPECT_LT(before, 0.2);
  EXPECT_GT(model.probability_to_pass(0.5, 0.004, estimate), 0.8);
  model.add(estimate);
  EXPECT_DOUBLE_EQ(model.predict(0.5, estimate).loss, [] {
    LossModel without(0, 0.001);
    without.add({.noise = 1, .loss = 0.02});
    return without.predict(0.5, LossObservation{.noise = 0.5, .loss = 0.002, .error = 0.001}).loss;
  }()) << "it counts once";
}

// The goal allows less than the loss of one sample. A plan with a little less noise may meet it by chance.
TEST(LossModel, ChanceDecidesIfTheSpreadIsLargerThanTheGoal) {
  LossModel certain(0, 0), spread(0, 0.005);
  for (LossModel* model : {&certain, &spread}) model->add({.noise = 1, .loss = 0.003});
  EXPECT_LT(certain.probability_to_pass(0.9, 0.0007), 0.01);
  EXPECT_GT(spread.probability_to_pass(0.9, 0.0007), 0.3);
}

TEST(LossModel, KnowsNothingWithoutObservations) { EXPECT_EQ(LossModel(0, 0).probability_to_pass(0.5, 0.01), 0.5); }

}  // namespace
}  // namespace lpot
