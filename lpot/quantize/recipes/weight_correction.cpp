#include "lpot/quantize/recipes/weight_correction.h"

#include <cmath>

#include "lpot/quantize/recipes/recipe.h"

namespace lpot {
namespace {

// The variance times the number of values.
template <typename Number>
double spread(const Number* values, std::size_t count) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(values[i]);
    sum += value;
    squares += value * value;
  }
  return squares - sum * sum / static_cast<double>(count);
}

}  // namespace

QuantizedRows correct_weights(const WeightMatrix& exact, QuantizedRows quantized) {
  if (quantized.scales.size() != exact.rows()) return quantized;
  for (std::size_t row = 0; row < exact.rows(); ++row) {
    const double wanted = spread(exact.row(row), exact.columns());
    const double found = spread(quantized.values.data() + row * exact.columns(), exact.columns());
    if (wanted > 0 && found > 0) quantized.scales[row] = static_cast<float>(std::sqrt(wanted / found));
  }
  return quantized;
}

Recipe weight_correction_recipe() {
  return {.declaration = {.name = "weight_correction",
                          .key = {.parameter = {.name = "weight_correction",
                                                .kind = ValueKind::Flag,
                                                .summary =
                                                    "correct the variance of quantized weights; default: lpot decides"},
                                  .position = 50},
                          .plan_default = false,
                          .alternative = 2,
                          .label = "weight_correction"},
          .adjust_quantized_weights = correct_weights};
}

}  // namespace lpot
