// Saturation: CPUs with AVX2 but without VNNI multiply unsigned by signed 8-bit integers and add pairs of adjacent
// products in 16 bits (vpmaddubsw). The sum saturates at 32,767, and 255 * 127 * 2 is larger. With half the weight
// range (7 bits) nothing can saturate, but one bit of precision is lost.
//
// Which of the two costs more accuracy depends on the op. If only a few activation values are large (transformers),
// almost all pairs stay far below the limit and the lost bit costs more. Both costs are estimated from the channel
// statistics, so that only ops that benefit use half the range.
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

// Statistics of an activation channel in units of levels 0..255.
struct ChannelLevels {
  int largest = 0;
  double mean = 0;
  double deviation = 0;
  double power = 0;  // mean square of the distance from the zero level
};
std::vector<ChannelLevels> channel_levels(const TensorStatistics&, const std::vector<float>& divisors,
                                          const Range& levels);

// Two kinds of output noise of an op, in the same unit: the noise from 16-bit saturation with the full weight range,
// and the noise that half the weight range would add.
struct RangeNoise {
  double saturation = 0;  // zero: nothing can saturate within the observed ranges
  double lost_bit = 0;

  bool prefers_half_range() const { return saturation > lost_bit; }
};
RangeNoise range_noise(const WeightMatrix& integers, const std::vector<float>& scales,
                       const std::vector<ChannelLevels>&);

// The ops that lose more by saturation than by half the weight range. The plan must use the full weight range for all
// ops.
std::vector<std::string> saturating_ops(const Model&, const Plan&, const Statistics&);
std::vector<std::string> saturating_ops(const Model&, const Edits&, const Statistics&);  // of resolved plans

using StatisticsOf = std::function<const Statistics&(const Plan&)>;

// Changes weights from half to full range in ops where saturation costs less than the lost bit. The decision is made
// once per scheme, with every op in that scheme, because the plans of a search differ only in a few ops.
class WeightRangePolicy {
 public:
  // `whole`: the search space of the plans, without half ranges. The model must outlive this object.
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
