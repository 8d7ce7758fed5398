#include "lpot/quantize/recipes/bias_correction.h"

namespace lpot {

std::vector<float> bias_correction(const WeightMatrix& exact, const QuantizedRows& quantized,
                                   const std::vector<float>& means) {
  std::vector<float> correction(exact.rows());
  for (std::size_t row = 0; row < exact.rows(); ++row) {
    const float* weights = exact.row(row);
    const std::int8_t* levels = quantized.values.data() + row * exact.columns();
    const float* inputs = means.data() + exact.first_input(row);
    const float scale = quantized.scale(row);
    double shift = 0;
    for (std::size_t i = 0; i < exact.columns(); ++i)
      shift += static_cast<double>((weights[i] - static_cast<float>(levels[i]) * scale) * inputs[i / exact.taps()]);
    correction[row] = static_cast<float>(shift);
  }
  return correction;
}

}  // namespace lpot
