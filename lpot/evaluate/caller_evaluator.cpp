#include <cmath>

#include "lpot/core/clock.h"
#include "lpot/core/error.h"
#include "lpot/evaluate/evaluator.h"

namespace lpot {

CallerEvaluator::CallerEvaluator(std::string name, EvaluationFunction function)
    : name_(std::move(name)), function_(std::move(function)) {}

Score CallerEvaluator::call(const EvaluationRequest& request) const {
  request.observer.check_stop();
  const auto start = Clock::now();
  const double accuracy = function_(request);
  if (!std::isfinite(accuracy))
    throw CallerError(name_, "returned a number that is not finite; expected the accuracy of the model");
  Score score;
  score.metrics = {{metric(), accuracy}};
  score.seconds = seconds_since(start);
  return score;
}

}  // namespace lpot
