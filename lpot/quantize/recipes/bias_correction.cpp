#include "lpot/quantize/recipes/bias_correction.h"

#include "lpot/quantize/recipes/recipe.h"

namespace lpot {
namespace {

// The means of the input channels after SmoothQuant's division.
std::vector<float> input_means(const QuantizationTarget& target) {
  std::vector<float> means;
  for (const ChannelStatistics& channel : target.input->channels()) means.push_back(static_cast<float>(channel.mean()));
  for (std::size_t i = 0; i < target.divisors.size(); ++i) means[i] /= target.divisors[i];
  return means;
}

OpEdit correct_bias(const QuantizationTarget& target, const QuantizedRows& rows, OpEdit edit) {
  // A tensor with a varying rank has no per-channel statistics and therefore no means.
  if (target.input->channels().size() == target.weights.inputs())
    edit.bias = bias_correction(target.weights, rows, input_means(target));
  return edit;
}

}  // namespace

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

Recipe bias_correction_recipe() {
  return {
      .declaration =
          {.name = "bias_correction",
           .key = {.parameter = {.name = "fast_bias_correction",
                                 .kind = ValueKind::Flag,
                                 .summary =
                                     "correct biases for the mean error of quantized weights; default: lpot decides"},
                   .position = 40,
                   .advance = Parameter{.name = "bias_correction",
                                        .kind = ValueKind::Text,
                                        .summary = "correct biases for the measured error of quantized weights",
                                        .choices = {"weight_empirical"}}},
           .plan_default = false,
           .alternative = 1,
           .statistics = RecipeStatistics::Ranges,
           .label = "fast_bias_correction"},
      .adjust_op = correct_bias};
}

}  // namespace lpot
