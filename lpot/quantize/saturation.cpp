#include "lpot/quantize/saturation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <openvino/openvino.hpp>

#include "lpot/model/bodies.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/resolve.h"

namespace lpot {
namespace {

constexpr int kMaxSum = 32767;  // of two products, in 16 bits
constexpr int kHalfRange = 63;  // the largest integer of half-range weights
// The scale of a Laplace distribution, relative to its standard deviation.
constexpr double kHalfOfRoot2 = 0.70710678118654752;

struct Excess {
  double mean = 0, mean_square = 0;
};

// The expected loss of a value that saturates at `most` and is never above `largest`. The tail is modeled as
// exponential (Laplace distribution), an upper bound for the activations of real networks.
Excess excess(double mean, double deviation, double most, double largest) {
  const double distance = most - mean, beyond = largest - most;
  if (beyond <= 0) return {};
  if (distance <= 0) return {-distance, distance * distance + deviation * deviation};
  const double scale = deviation * kHalfOfRoot2;
  if (scale <= 0) return {};
  const double tail = std::exp(-distance / scale), end = std::exp(-(distance + beyond) / scale);
  return {scale * (tail - end) / 2, scale * scale * (tail - end * (1 + beyond / scale))};
}

// Statistics of the sum of two adjacent products.
struct Pair {
  double mean = 0, deviation = 0;
  int high = 0, low = 0;  // extremes within the observed ranges

  void add(int weight, const ChannelLevels& channel) {
    mean += weight * channel.mean;
    deviation += std::abs(weight) * channel.deviation;  // assumes that adjacent channels are correlated
    (weight > 0 ? high : low) += weight * channel.largest;
  }
};

}  // namespace

std::vector<ChannelLevels> channel_levels(const TensorStatistics& statistics, const std::vector<float>& divisors,
                                          const Range& levels) {
  const double step = static_cast<double>(levels.high - levels.low) / 255.0;
  std::vector<ChannelLevels> found;
  for (std::size_t i = 0; i < statistics.channels().size(); ++i) {
    const ChannelStatistics& channel = statistics.channels()[i];
    const double unit = step * (divisors.empty() ? 1.0 : static_cast<double>(divisors[i]));
    const double zero = static_cast<double>(-levels.low) / step;
    const double mean = channel.mean() / unit, power = channel.mean_square() / (unit * unit);
    found.push_back({static_cast<int>(std::clamp(std::ceil(channel.max / unit + zero), 0.0, 255.0)), mean + zero,
                     std::sqrt(std::max(power - mean * mean, 0.0)), power});
  }
  return found;
}

RangeNoise range_noise(const WeightMatrix& integers, const std::vector<float>& scales,
                       const std::vector<ChannelLevels>& inputs) {
  const std::size_t taps = integers.taps(), channels = integers.columns() / taps;
  RangeNoise noise;
  for (std::size_t row = 0; row < integers.rows(); ++row) {
    const float* values = integers.row(row);
    const ChannelLevels* levels = inputs.data() + integers.first_input(row);
    double shift = 0, saturation = 0, power = 0;
    for (std::size_t i = 0; i < channels; ++i) power += levels[i].power * static_cast<double>(taps);
    // The kernels process input channels in pairs, for each tap.
    for (std::size_t tap = 0; tap < taps; ++tap)
      for (std::size_t i = 0; i + 1 < channels; i += 2) {
        Pair pair;
        pair.add(static_cast<int>(values[i * taps + tap]), levels[i]);
        pair.add(static_cast<int>(values[(i + 1) * taps + tap]), levels[i + 1]);
        const Excess above = excess(pair.mean, pair.deviation, kMaxSum, pair.high);
        const Excess below = excess(-pair.mean, pair.deviation, kMaxSum + 1, -pair.low);
        shift += above.mean - below.mean;
        saturation += above.mean_square + below.mean_square;
      }
    const auto scale = static_cast<double>(scales.size() == integers.rows() ? scales[row] : scales.front());
    // Rounding with step 1 adds noise of variance 1/12. With half the range the step is 2.
    noise.lost_bit += scale * scale * power * (4 - 1) / 12;
    noise.saturation += scale * scale * (saturation + shift * shift);
  }
  return noise;
}

std::vector<std::string> saturating_ops(const Model& model, const Plan& plan, const Statistics& statistics) {
  return saturating_ops(model, resolve(model, plan, statistics), statistics);
}

std::vector<std::string> saturating_ops(const Model& model, const Edits& edits, const Statistics& statistics) {
  std::map<std::string, QuantizableOp> ops;
  for (const QuantizableOp& op : quantizable_ops(model)) ops.emplace(op.name, op);
  std::map<std::string, Shape> shapes;
  for (const auto& node : all_ops(*model.graph))
    if (ops.contains(op_name(*node)) && node->get_input_size() > 1 && node->get_input_partial_shape(1).is_static()) {
      const ov::Shape& shape = node->get_input_shape(1);
      shapes.try_emplace(op_name(*node), shape.begin(), shape.end());
    }
  std::vector<std::string> found;
  // The values of a sequence's state are not estimated. Assume that every sequence with the full range saturates.
  const auto has_full_range = [](const QuantizedWeights& weights) {
    return std::any_of(weights.values.begin(), weights.values.end(),
                       [](std::int8_t value) { return std::abs(value) > kHalfRange; });
  };
  for (const SequenceEdit& edit : edits.sequences)
    if (has_full_range(edit.input_weights) || has_full_range(edit.state_weights)) found.push_back(edit.op);
  for (const OpEdit& edit : edits.ops) {
    if (edit.activation.empty()) continue;  // weights only: there is no integer multiplication
    const QuantizableOp& op = ops.at(edit.op);
    const std::vector<float> integers(edit.weights.values.begin(), edit.weights.values.end());
    const WeightMatrix matrix(integers, {shapes.at(edit.op), op.weight_axes, op.input_axes});
    const TensorStatistics& input = statistics.at(edit.activation);
    // Without per-channel statistics, assume that the op saturates.
    const bool is_known = input.channels().size() == matrix.inputs();
    if (!is_known || range_noise(matrix, edit.weights.scales, channel_levels(input, edit.input_divisors, edit.levels))
                         .prefers_half_range())
      found.push_back(edit.op);
  }
  return found;
}

WeightRangePolicy::WeightRangePolicy(const Model& model, PlanChoices whole, StatisticsOf statistics_of)
    : model_(model), whole_(std::move(whole)), statistics_of_(std::move(statistics_of)) {}

const std::vector<std::string>& WeightRangePolicy::saturating(const OpPlan& scheme, const Plan& like) {
  Plan plan = whole_.plan(scheme);
  plan.recipes = like.recipes;
  plan.sampling_size = like.sampling_size;
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const Known& known) { return known.plan == plan; });
  if (found != known_.end()) return found->saturating;
  known_.push_back({plan, saturating_ops(model_, plan, statistics_of_(plan))});
  return known_.back().saturating;
}

Plan WeightRangePolicy::operator()(Plan plan) {
  const auto same_scheme = [](const OpPlan& a, const OpPlan& b) {
    return a.precision == b.precision && a.activation == b.activation && a.weight.algorithm == b.weight.algorithm &&
           a.weight.granularity == b.weight.granularity && a.weight.symmetry == b.weight.symmetry;
  };
  for (const OpSpace& op : whole_.ops) {
    const auto planned = plan.ops.find(op.name);
    if (planned == plan.ops.end() || planned->second.precision != Precision::Int8) continue;
    const auto choice = std::find_if(op.choices.begin(), op.choices.end(),
                                     [&](const OpPlan& other) { return same_scheme(planned->second, other); });
    if (choice == op.choices.end() || choice->weight.bits == planned->second.weight.bits) continue;
    const std::vector<std::string>& half_range = saturating(*choice, plan);
    if (std::find(half_range.begin(), half_range.end(), op.name) == half_range.end())
      planned->second.weight.bits = choice->weight.bits;
  }
  return plan;
}

}  // namespace lpot
