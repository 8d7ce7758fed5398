// Square root of the mean squared difference between the first output and the labels, over all values.
#include <cmath>

#include "lpot/metrics/difference.h"

namespace lpot {
namespace {

constexpr Difference kRmse{"RMSE",
                           [](double output, double expected) { return (output - expected) * (output - expected); },
                           [](double mean) { return std::sqrt(mean); }};

}  // namespace

MetricKind rmse_metric() {
  return {difference_entry(kRmse, "root mean squared error; lower is better"), [](const Component& component) {
            return make_difference(kRmse, component.parameters.flag("compare_label"));
          }};
}

}  // namespace lpot
