// Mean of the absolute differences between the first output and the labels, over all values.
#include <cmath>

#include "lpot/metrics/difference.h"

namespace lpot {
namespace {

constexpr Difference kMae{"MAE", [](double output, double expected) { return std::fabs(output - expected); }};

}  // namespace

MetricKind mae_metric() {
  return {difference_entry(kMae, "mean absolute error; lower is better"),
          [](const Component& component) { return make_difference(kMae, component.parameters.flag("compare_label")); }};
}

}  // namespace lpot
