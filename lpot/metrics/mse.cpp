// Mean of the squared differences between the first output and the labels, over all values.
#include "lpot/metrics/difference.h"

namespace lpot {
namespace {

constexpr Difference kMse{"MSE",
                          [](double output, double expected) { return (output - expected) * (output - expected); }};

}  // namespace

MetricKind mse_metric() {
  return {difference_entry(kMse, "mean squared error; lower is better"),
          [](const Component& component) { return make_difference(kMse, component.parameters.flag("compare_label")); }};
}

}  // namespace lpot
