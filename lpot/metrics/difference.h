// The base of MSE, RMSE and MAE: the mean over all values of a difference between the first output and the labels.
//
// Each sample is summed separately in double, then the samples are added as in sum.h. The effect of order and batching
// is far below the precision of a double. A value that is not finite makes the result NaN.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "lpot/metrics/kinds.h"

namespace lpot {

struct Difference {
  std::string_view name;                         // of the metric
  double (*of)(double output, double expected);  // of one value
  double (*finish)(double mean) = nullptr;       // computes the result from the mean; null: the mean is the result
};

// Builds the metric; `difference` must outlive it. Without compare_label, the labels are the outputs of the fp32 model.
std::unique_ptr<Metric> make_difference(const Difference&, bool compare_label);

// The table entry of such a metric.
Entry difference_entry(const Difference&, const std::string& summary);

}  // namespace lpot
