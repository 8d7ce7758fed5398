#include "lpot/quantize/range_choice.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <vector>

#include "lpot/calibrate/range.h"
#include "lpot/quantize/graph/activation_range.h"
#include "lpot/quantize/graph/constants.h"
#include "lpot/quantize/graph/products.h"
#include "lpot/quantize/graph/quantization_target.h"

namespace lpot {
namespace {

// The mean square by which values are outside the range.
double clipped_power(const Histogram& histogram, const Range& range) {
  if (histogram.counts().empty()) return 0;
  double sum = 0;
  for (std::size_t bin = 0; bin < Histogram::kBins; ++bin) {
    const std::uint64_t count = histogram.counts()[bin];
    if (count == 0) continue;
    const double value = histogram.bin_low(bin) + histogram.bin_width() / 2;
    const double outside = std::max({0.0, range.low - value, value - range.high});
    sum += static_cast<double>(count) * outside * outside;
  }
  return sum / static_cast<double>(histogram.total());
}

// The error power that a range adds to the output of an op. `gains`: the squared weights of each input channel, summed;
// one value for all channels if they are not known.
double output_error(const TensorStatistics& input, const Range& range, const std::vector<double>& gains) {
  const double step = static_cast<double>(range.high - range.low) / 255;
  std::vector<double> excess;  // squared, by channel
  double all_excess = 0;
  for (const ChannelStatistics& channel : input.channels()) {
    const double beyond = std::max({0.0f, channel.max - range.high, range.low - channel.min});
    excess.push_back(beyond * beyond);
    all_excess += excess.back();
  }
  const double clipped = clipped_power(input.histogram(), range) * static_cast<double>(excess.size());
  const bool by_channel = gains.size() == excess.size();
  double error = 0;
  for (std::size_t i = 0; i < excess.size(); ++i) {
    const double share = all_excess > 0 ? excess[i] / all_excess : 0;
    error += gains[by_channel ? i : 0] * (step * step / 12 + clipped * share);
  }
  return error;
}

double output_power(const TensorStatistics& input, const std::vector<double>& gains) {
  const bool by_channel = gains.size() == input.channels().size();
  double power = 0;
  for (std::size_t i = 0; i < input.channels().size(); ++i)
    power += gains[by_channel ? i : 0] * input.channels()[i].mean_square();
  return power;
}

std::vector<double> channel_gains(const WeightMatrix& weights) {
  std::vector<double> gains(weights.inputs(), 0.0);
  for (std::size_t row = 0; row < weights.rows(); ++row)
    for (std::size_t i = 0; i < weights.columns(); ++i) {
      const auto weight = static_cast<double>(weights.row(row)[i]);
      gains[weights.first_input(row) + i / weights.taps()] += weight * weight;
    }
  return gains;
}

// Error over signal of a tensor's readers, by estimator.
using Errors = std::map<Algorithm, double>;

class EstimatorChoice {
 public:
  EstimatorChoice(const Model& model, const PlanChoices& choices, const Statistics& statistics)
      : statistics_(statistics), ops_(quantizable_ops(model)), kernels_(find_kernels(model, ops_)), constants_(model) {
    for (const OpSpace& op : choices.ops) spaces_.emplace(op.name, &op);
  }

  std::map<std::string, Algorithm> choose(const std::vector<QuantizableOp>& ops) {
    for (const QuantizableOp& op : ops) {
      const OpPlan* preferred = preferred_choice(op.name);
      if (!preferred || !statistics_.contains(op.activation)) continue;
      const std::vector<double> gains = gains_of(op);
      add_errors(op, op.activation, *preferred, gains);
      if (!op.second.empty() && statistics_.contains(op.second)) add_errors(op, op.second, *preferred, gains);
      tensor_of_[op.name] = op.activation;
    }
    std::map<std::string, Algorithm> chosen;
    for (const auto& [name, tensor] : tensor_of_) chosen[name] = least(errors_.at(tensor));
    return chosen;
  }

 private:
  // The first int8 choice with a range; nullptr if there is none.
  const OpPlan* preferred_choice(const std::string& name) const {
    const auto space = spaces_.find(name);
    if (space == spaces_.end() || space->second->choices.empty()) return nullptr;
    const OpPlan& first = space->second->choices.front();
    return first.is_int8() && !first.weights_only ? &first : nullptr;
  }

  std::vector<double> gains_of(const QuantizableOp& op) const {
    if (!op.second.empty()) return {1.0};  // a product of two activations
    const Kernel& kernel = kernels_.at(op.name);
    return channel_gains(WeightMatrix(constants_.values(kernel.constant), kernel.layout));
  }

  // The allowed estimators of an op that differ from the preferred choice in nothing else.
  std::vector<Algorithm> estimators(const QuantizableOp& op, const OpPlan& preferred) const {
    std::vector<Algorithm> found;
    const OpSpace& space = *spaces_.at(op.name);
    for (const auto* all : {&space.choices, &space.more_choices})
      for (const OpPlan& choice : *all) {
        OpPlan with_preferred_algorithm = choice;
        with_preferred_algorithm.activation.algorithm = preferred.activation.algorithm;
        if (with_preferred_algorithm == preferred) found.push_back(choice.activation.algorithm);
      }
    return found;
  }

  void add_errors(const QuantizableOp& op, const std::string& tensor, const OpPlan& preferred,
                  const std::vector<double>& gains) {
    const TensorStatistics& input = statistics_.at(tensor);
    const double signal = output_power(input, gains);
    const Symmetry symmetry = preferred.activation.symmetry;
    Errors found;
    for (const Algorithm estimator : estimators(op, preferred)) {
      const Range range = activation_levels(find_range(input, estimator, {.symmetry = symmetry}), symmetry);
      found[estimator] = signal > 0 ? output_error(input, range, gains) / signal : 0;
    }
    // An estimator must be allowed for all readers of the tensor.
    const auto [known, is_new] = errors_.try_emplace(op.second == tensor ? op.activation : tensor, found);
    if (is_new) return;
    std::erase_if(known->second, [&](const auto& entry) { return !found.contains(entry.first); });
    for (auto& [estimator, error] : known->second) error += found.at(estimator);
  }

  // If several estimators have the same error, for example because their ranges are equal, the first one in the order
  // of the enumeration wins.
  static Algorithm least(const Errors& errors) {
    Algorithm best = Algorithm::MinMax;
    double smallest = std::numeric_limits<double>::infinity();
    for (const auto& [estimator, error] : errors)
      if (error < smallest) {
        smallest = error;
        best = estimator;
      }
    return best;
  }

  std::unordered_map<std::string, const OpSpace*> spaces_;
  const Statistics& statistics_;
  std::vector<QuantizableOp> ops_;
  Kernels kernels_;  // of ops_
  Constants constants_;
  std::map<std::string, Errors> errors_;  // by tensor; of a product by its first tensor
  std::map<std::string, std::string> tensor_of_;
};

}  // namespace

std::map<std::string, Algorithm> least_error_estimators(const Model& model, const PlanChoices& choices,
                                                        const Statistics& statistics) {
  return EstimatorChoice(model, choices, statistics).choose(searchable_ops(model));
}

}  // namespace lpot
