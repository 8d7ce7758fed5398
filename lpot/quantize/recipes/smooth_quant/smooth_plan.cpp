#include "lpot/quantize/recipes/smooth_quant/smooth_plan.h"

#include <algorithm>
#include <cmath>

#include "lpot/quantize/graph/channel_pairs.h"
#include "lpot/quantize/recipes/smooth_quant.h"

namespace lpot {
namespace {

class Smoothing {
 public:
  Smoothing(const Model& model, Rescaling& rescaling) : rescaling_(rescaling) {
    for (const ChannelPair& pair : channel_pairs(model)) pairs_.emplace(pair.second, pair);
    for (const ChannelPair& pair : clamped_channel_pairs(model)) clamped_.emplace(pair.second, pair);
  }

  void run(std::optional<double> alpha) {
    // In topological order, so that a kernel is smoothed itself before a later op divides its output.
    std::vector<std::vector<QuantizationTarget*>> groups;
    std::map<std::pair<std::string, TensorScheme>, std::size_t> places;
    for (QuantizationTarget& target : rescaling_.all()) {
      if (is_depthwise(target) && !target.plan->weights_only) fill_ranges(target);
      if (target.op().type != "MatMul" || target.plan->weights_only) continue;
      const auto [place, is_new] = places.try_emplace({target.op().activation, target.plan->activation}, groups.size());
      if (is_new) groups.emplace_back();
      groups[place->second].push_back(&target);
    }
    for (const auto& group : groups) smooth(group, alpha);
  }

 private:
  static bool is_depthwise(const QuantizationTarget& target) {
    return target.op().type == "GroupConvolution" && target.weights.columns() == target.weights.taps();
  }

  const ChannelPair* any_pair(const std::string& op) const {
    if (const auto found = pairs_.find(op); found != pairs_.end()) return &found->second;
    const auto clamped = clamped_.find(op);
    return clamped == clamped_.end() ? nullptr : &clamped->second;
  }

  // Divides the channels of a depthwise convolution's input.
  void fill_ranges(QuantizationTarget& target) {
    const ChannelPair* pair = any_pair(target.op().name);
    if (!pair || target.input->channels().size() != pair->channels) return;
    std::vector<float> divisors = range_divisors(*target.input);
    if (std::all_of(divisors.begin(), divisors.end(), [](float divisor) { return divisor == 1.0f; })) return;
    multiply_inputs(target.weights, divisors);
    rescaling_.divide(pair->first, pair->bias, divisors);
    target.divisors = std::move(divisors);
    target.divisors_folded = true;
  }

  // The share of the tensor's range that each channel uses, rounded up to a power of two: 1 for the largest channel. No
  // channel exceeds the range of the tensor after the division, so a Clamp before it stays correct.
  static std::vector<float> range_divisors(const TensorStatistics& input) {
    constexpr float kLeast = 1.0f / 16;  // a smaller share adds little noise, and other data may need the range
    float largest = 0;
    for (const ChannelStatistics& channel : input.channels()) largest = std::max(largest, magnitude(channel));
    std::vector<float> divisors;
    for (const ChannelStatistics& channel : input.channels()) {
      const float share = largest > 0 ? magnitude(channel) / largest : 1.0f;
      divisors.push_back(std::exp2(std::ceil(std::log2(std::max(share, kLeast)))));
    }
    return divisors;
  }

  static float magnitude(const ChannelStatistics& channel) {
    return std::max(std::fabs(channel.min), std::fabs(channel.max));
  }

  void smooth(const std::vector<QuantizationTarget*>& group, std::optional<double> alpha) {
    const QuantizationTarget& any = *group.front();
    const auto pair = pairs_.find(any.op().name);
    const bool has_pair = pair != pairs_.end();  // then the tensor has no other reader
    if (!has_pair && !any.kernel->may_be_divided) return;
    // The statistics are of another axis if a convolution reads the same tensor.
    if (any.input->channels().size() != any.weights.inputs()) return;
    std::vector<SmoothedReader> readers;
    for (const QuantizationTarget* target : group)
      readers.push_back({&target->weights, weight_limit(target->plan->weight)});
    std::vector<float> divisors = smooth_divisors(*any.input, any.plan->activation.symmetry, readers, alpha);
    if (divisors.empty()) return;
    // Division by a power of two is exact.
    if (has_pair)
      for (float& divisor : divisors) divisor = std::exp2(std::round(std::log2(divisor)));
    for (QuantizationTarget* target : group) {
      target->divisors = divisors;
      target->divisors_folded = has_pair;
      multiply_inputs(target->weights, divisors);
    }
    if (has_pair) rescaling_.divide(pair->second.first, pair->second.bias, divisors);
  }

  Rescaling& rescaling_;
  std::map<std::string, ChannelPair> pairs_, clamped_;  // by the second kernel
};

}  // namespace

void smooth_plan(const Model& model, Rescaling& rescaling, std::optional<double> alpha) {
  Smoothing(model, rescaling).run(alpha);
}

}  // namespace lpot
