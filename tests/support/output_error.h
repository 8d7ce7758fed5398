// The difference between the first outputs of two models.
#pragma once
#include <algorithm>
#include <cmath>

#include "tests/support/graphs.h"

namespace lpot {

// The largest difference divided by the largest value.
inline double output_error(const Model& model, const Model& exact, const Tensor& input) {
  const auto found = run_plainly(model.graph, {input})[0], wanted = run_plainly(exact.graph, {input})[0];
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    largest = std::max(largest, static_cast<double>(std::fabs(wanted[i])));
    difference = std::max(difference, static_cast<double>(std::fabs(found[i] - wanted[i])));
  }
  return difference / largest;
}

}  // namespace lpot
