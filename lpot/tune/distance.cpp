#include "lpot/tune/distance.h"

#include <cmath>
#include <limits>

#include "lpot/metrics/scores.h"
#include "lpot/tune/changed_answers.h"

namespace lpot {
namespace {

// Of one of the outputs.
double distance_of(std::size_t output, const Outputs& outputs, const Outputs& expected, DistanceKind how) {
  const bool squared = how == DistanceKind::RootMeanSquare;
  const auto size = [&](double value) { return squared ? value * value : std::fabs(value); };
  double difference = 0, magnitude = 0;
  for (std::size_t batch = 0; batch < outputs.size(); ++batch)
    for (std::size_t i = 0; i < outputs[batch][output].size(); ++i) {
      const double wanted = expected[batch][output].value_at(i);
      difference += size(outputs[batch][output].value_at(i) - wanted);
      magnitude += size(wanted);
    }
  const double share = magnitude > 0 ? difference / magnitude : difference;
  return squared ? std::sqrt(share) : share;
}

}  // namespace

double distance(const Outputs& outputs, const Outputs& expected, DistanceKind how) {
  if (how == DistanceKind::ChangedAnswers) {
    const auto share = changed_answers(outputs, expected);
    return share ? *share : distance(outputs, expected, DistanceKind::Mean);
  }
  double sum = 0;
  std::size_t counted = 0;
  for (std::size_t output = 0; output < outputs.front().size(); ++output) {
    if (is_integer_type(outputs.front()[output].element_type())) continue;
    sum += distance_of(output, outputs, expected, how);
    ++counted;
  }
  const double mean = counted == 0 ? 0 : sum / static_cast<double>(counted);
  return std::isfinite(mean) ? mean : std::numeric_limits<double>::infinity();
}

}  // namespace lpot
