// Saturation: CPUs with AVX2 but without VNNI multiply unsigned by signed 8-bit integers and add each two neighbouring
// products in 16 bits (vpmaddubsw), where 32,767 is the end: 255 * 127 * 2 does not fit. With half the range of weights
// nothing can overflow, at the price of a bit. Which is worse differs by op: where activations have a few large values
// (transformers), almost every pair stays far below the end and the bit is the dearer of the two. Here both are worked
// out from the statistics of the channels, so that half the range is for the ops alone that gain by it.
#pragma once
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "lpot/calibrate/range.h"
#include "lpot/calibrate/statistics.h"
#include "lpot/model/model.h"
#include "lpot/plan/plan.h"
#include "lpot/plan/search_space.h"
#include "lpot/quantize/graph/weights.h"

namespace lpot {

struct Edits;

// What a channel of the activations looks like in levels 0..255.
struct ChannelLevels {
  int largest = 0;
  double mean = 0;
  double deviation = 0;
  double power = 0;  // mean square of the distance from zero's level
};
std::vector<ChannelLevels> channel_levels(const TensorStatistics&, const std::vector<float>& divisors,
                                          const Range& levels);

// Two noises of an op's outputs, in one unit, were its weights to keep the whole range: what sums that end at 16 bits
// lose, and what the bit that half the range costs would add.
struct RangeNoise {
  double saturation = 0;  // zero: nothing can overflow within the observed ranges
  double lost_bit = 0;

  bool wants_half() const { return saturation > lost_bit; }
};
RangeNoise range_noise(const WeightMatrix& integers, const std::vector<float>& scales,
                       const std::vector<ChannelLevels>&);

// The ops of a plan, all of whose weights take the whole range, that lose more by saturation than half the range costs.
std::vector<std::string> saturating_ops(const Model&, const Plan&, const Statistics&);
std::vector<std::string> saturating_ops(const Model&, const Edits&, const Statistics&);  // what it comes down to

using StatisticsOf = std::function<const Statistics&(const Plan&)>;

// Weights of half the range take the whole wherever saturation costs less than the bit. That is worked out for the
// schemes of the plans that come, each once, with every op in that scheme: plans of a search differ in a few ops only.
class WeightRangePolicy {
 public:
  // `whole`: the search space that the plans are of, without half ranges. The model must outlive this.
  WeightRangePolicy(const Model&, PlanChoices whole, StatisticsOf);

  Plan operator()(Plan);

 private:
  const std::vector<std::string>& saturating(const OpPlan& scheme, const Plan&);

  struct Known {
    Plan plan;
    std::vector<std::string> saturating;
  };
  const Model& model_;
  PlanChoices whole_;
  StatisticsOf statistics_of_;
  std::deque<Known> known_;
};

}  // namespace lpot
