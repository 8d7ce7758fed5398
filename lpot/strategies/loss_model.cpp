#include "lpot/strategies/loss_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace lpot {
namespace {

constexpr double kLeastNoise = 1e-9;  // the measured noise of a few ops may be zero
constexpr double kLeastError = 1e-9;  // the weight of an exact value is finite

double square(double value) { return value * value; }

// The mean of values with errors, each with the inverse of its variance as weight.
LossPrediction weighted_mean(const std::vector<LossPrediction>& values) {
  double sum = 0, weights = 0;
  for (const LossPrediction& value : values) {
    const double weight = 1 / square(std::max(kLeastError, value.error));
    sum += weight * value.loss;
    weights += weight;
  }
  if (weights <= 0) return {0, std::numeric_limits<double>::infinity()};
  return {sum / weights, 1 / std::sqrt(weights)};
}

}  // namespace

// The number of changed answers grows with the root of the power, and the spread is the root of that number.
double LossModel::spread_at(double noise) const { return spread_ * std::pow(noise, 0.25); }

LossPrediction LossModel::extrapolate(const LossObservation& known, double noise) const {
  const double known_noise = std::max(kLeastNoise, known.noise), ratio = noise / known_noise;
  const double int8_loss = known.loss - without_int8_;
  const double model_error = int8_loss * (std::sqrt(ratio) - ratio);
  const double known_error = ratio * std::hypot(known.error, spread_at(known_noise));
  return {without_int8_ + ratio * int8_loss, std::hypot(model_error, known_error)};
}

LossPrediction LossModel::predict(double noise, const std::optional<LossObservation>& estimate) const {
  noise = std::max(kLeastNoise, noise);
  std::vector<LossPrediction> extrapolated;
  for (const LossObservation& known : known_)
    if (known != estimate) extrapolated.push_back(extrapolate(known, noise));
  LossPrediction predicted = weighted_mean(extrapolated);
  predicted.error = std::hypot(predicted.error, spread_at(noise));
  if (!estimate) return predicted;
  return weighted_mean({predicted, {estimate->loss, estimate->error}});
}

double LossModel::probability_to_pass(double noise, double allowed_loss,
                                      const std::optional<LossObservation>& estimate) const {
  const LossPrediction predicted = predict(noise, estimate);
  if (!std::isfinite(predicted.loss)) return 0;
  const double error = std::max(kLeastError, predicted.error);
  return std::erfc((predicted.loss - allowed_loss) / error / std::numbers::sqrt2) / 2;
}

}  // namespace lpot
