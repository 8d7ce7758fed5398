#include "lpot/quantize/noise.h"

#include <algorithm>
#include <numeric>
#include <openvino/openvino.hpp>

#include "lpot/quantize/graph/channel_powers.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/graph/products.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/graph/sequences.h"
#include "lpot/quantize/resolve.h"

namespace lpot {
namespace {

struct Powers {
  double noise = 0;
  double signal = 0;

  double share() const { return signal > 0 ? noise / signal : 0; }
  Powers operator+(const Powers& other) const { return {noise + other.noise, signal + other.signal}; }
};

// Noise and signal of an op. Weights and their noise (variance 1/12) are in units of the weight scale.
Powers output_powers(const WeightMatrix& integers, const std::vector<float>& scales, const std::vector<double>& powers,
                     double step) {
  double noise = 0, signal = 0;
  for (std::size_t row = 0; row < integers.rows(); ++row) {
    const float* weights = integers.row(row);
    const double* power = powers.data() + integers.first_input(row);
    double of_row = 0, squares = 0, power_sum = 0;
    for (std::size_t i = 0; i < integers.columns(); ++i) {
      const double square = static_cast<double>(weights[i]) * static_cast<double>(weights[i]);
      of_row += square * power[i / integers.taps()];
      squares += square;
      power_sum += power[i / integers.taps()];
    }
    const auto scale = static_cast<double>(scales.size() == integers.rows() ? scales[row] : scales.front());
    signal += scale * scale * of_row;
    noise += scale * scale * (squares * step * step + power_sum) / 12;
  }
  return {noise, signal};
}

double step_of(const Range& levels) { return static_cast<double>(levels.high - levels.low) / 255; }

// Noise power over signal power of what the gates of a sequence read. The int8 kernel also rounds its output.
double sequence_noise(const TensorStatistics& x, const TensorStatistics& state, const SequenceEdit& edit) {
  const auto matrix = [](const QuantizedWeights& weights) {
    const std::size_t rows = weights.scales.size();
    return WeightMatrix({weights.values.begin(), weights.values.end()},
                        {{rows, weights.values.size() / rows}, {0}, {1}});
  };
  const WeightMatrix w = matrix(edit.input_weights), r = matrix(edit.state_weights);
  const bool is_kernel = edit.form == SequenceForm::Kernel;
  const double state_step = step_of(edit.state_levels),
               input_step = is_kernel ? state_step : step_of(edit.input_levels);
  const std::vector<float> divisors(w.columns(), edit.input_scale);
  const std::vector<double> of_state = channel_powers(state, r.columns());
  const Powers gates =
      output_powers(w, edit.input_weights.scales, channel_powers(x, w.columns(), divisors), input_step) +
      output_powers(r, edit.state_weights.scales, of_state, state_step);
  const Powers output{static_cast<double>(r.columns()) * state_step * state_step / 12,
                      std::accumulate(of_state.begin(), of_state.end(), 0.0)};
  return gates.share() + (is_kernel ? output.share() : 0);
}

// Noise power over signal power of a product of two activations: the noise of each input is multiplied by the signal of
// the other, per channel.
double product_noise(const TensorStatistics& first, const TensorStatistics& second, const ProductEdit& edit) {
  const std::size_t channels = std::max(first.channels().size(), second.channels().size());
  const std::vector<double> a = channel_powers(first, channels), b = channel_powers(second, channels);
  const auto variance = [](const Range& levels) { return step_of(levels) * step_of(levels) / 12; };
  double noise = 0, signal = 0;
  for (std::size_t i = 0; i < channels; ++i) {
    noise += variance(edit.levels[0]) * b[i] + variance(edit.levels[1]) * a[i];
    signal += a[i] * b[i];
  }
  return signal > 0 ? noise / signal : 0;
}

}  // namespace

std::map<std::string, double> expected_noise(const Model& model, const Plan& plan, const Statistics& statistics) {
  return expected_noise(model, resolve(model, plan, statistics), statistics);
}

std::map<std::string, double> expected_noise(const Model& model, const Edits& edits, const Statistics& statistics) {
  std::map<std::string, QuantizableOp> ops;
  for (const QuantizableOp& op : quantizable_ops(model)) ops.emplace(op.name, op);
  std::map<std::string, double> noise;
  for (const OpEdit& edit : edits.ops) {
    const QuantizableOp& op = ops.at(edit.op);
    const std::vector<float> values(edit.weights.values.begin(), edit.weights.values.end());
    const WeightMatrix integers(values, {op.weight_shape, op.weight_axes, op.input_axes});
    const bool weights_only = edit.activation.empty();
    const std::vector<double> powers =
        weights_only ? std::vector<double>(integers.inputs(), 1.0)
                     : channel_powers(statistics.at(edit.activation), integers.inputs(), edit.input_divisors);
    const double step = weights_only ? 0 : step_of(edit.levels);
    noise[edit.op] = output_powers(integers, edit.weights.scales, powers, step).share();
  }
  std::map<std::string, QuantizableOp> products;
  for (const QuantizableOp& op : activation_products(model)) products.emplace(op.name, op);
  for (const ProductEdit& edit : edits.products) {
    const QuantizableOp& op = products.at(edit.op);
    noise[edit.op] = product_noise(statistics.at(op.activation), statistics.at(op.second), edit);
  }
  std::map<std::string, QuantizableOp> sequences;
  for (const QuantizableOp& op : recurrent_sequences(model)) sequences.emplace(op.name, op);
  for (const SequenceEdit& edit : edits.sequences) {
    const QuantizableOp& op = sequences.at(edit.op);
    noise[edit.op] = sequence_noise(statistics.at(op.activation), statistics.at(op.second), edit);
  }
  return noise;
}

}  // namespace lpot
