// What MSE, RMSE and MAE share: a mean over all values of how far the first output is from the labels.
//
// Each sample is summed on its own in double, then the samples as in sum.h: what the order and the cuts change is far
// below a double's precision. A value that is not finite makes the result not a number.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "lpot/metrics/kinds.h"

namespace lpot {

struct Difference {
  std::string_view name;                         // of the metric
  double (*of)(double output, double expected);  // of one value
  double (*finish)(double mean) = nullptr;       // result from the mean; none: the mean itself
};

// The metric; `difference` must outlive it. Without compare_label the labels are the fp32 model's outputs.
std::unique_ptr<Metric> make_difference(const Difference&, bool compare_label);

// What the table says of such a metric.
Entry difference_entry(const Difference&, const std::string& summary);

}  // namespace lpot
