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
  }

  void run(std::optional<double> alpha) {
    // In topological order, so that a kernel is smoothed itself before a later op divides its output.
    std::vector<std::vector<QuantizationTarget*>> groups;
    std::map<std::pair<std::string, TensorScheme>, std::size_t> places;
    for (QuantizationTarget& target : rescaling_.all()) {
      if (target.op().type != "MatMul" || target.plan->weights_only) continue;
      const auto [place, is_new] = places.try_emplace({target.op().activation, target.plan->activation}, groups.size());
      if (is_new) groups.emplace_back();
      groups[place->second].push_back(&target);
    }
    for (const auto& group : groups) smooth(group, alpha);
  }

 private:
  void smooth(const std::vector<QuantizationTarget*>& group, std::optional<double> alpha) {
    const QuantizationTarget& any = *group.front();
    const auto pair = pairs_.find(any.op().name);
    const bool has_pair = pair != pairs_.end();  // then the tensor has no other reader
    if (!has_pair && !any.kernel->may_be_divided) return;
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
  std::map<std::string, ChannelPair> pairs_;  // by the second kernel
};

}  // namespace

void smooth_plan(const Model& model, Rescaling& rescaling, std::optional<double> alpha) {
  Smoothing(model, rescaling).run(alpha);
}

}  // namespace lpot
