// Saturation: CPUs with AVX2 but without VNNI multiply unsigned by signed 8-bit integers and add each two neighbouring
// products in 16 bits (vpmaddubsw), where 32,767 is the end: 255 * 127 * 2 does not fit. With half the range of weights
// nothing can overflow, at the price of a bit. Here it is predicted which ops can overflow at all, so that the others
// keep the whole range: the largest integer of each channel is known from its statistics.
#pragma once
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "lpot/calibrate/range.h"
#include "lpot/calibrate/statistics.h"
#include "lpot/model/model.h"
#include "lpot/quantize/plan.h"
#include "lpot/quantize/space.h"
#include "lpot/quantize/weights.h"

namespace lpot {

struct Edits;

// The largest integer that each channel of a tensor, divided by `divisors` where there are some, takes on these 256
// levels.
std::vector<int> largest_levels(const TensorStatistics&, const std::vector<float>& divisors, const Range& levels);

// Whether two neighbouring products can exceed 16 bits for some input within the observed ranges.
bool can_saturate(const WeightMatrix&, const QuantizedRows&, const std::vector<int>& largest_levels);

// The ops of a plan, all of whose weights take the whole range, that can saturate.
std::vector<std::string> saturating_ops(const Model&, const Plan&, const Statistics&);
std::vector<std::string> saturating_ops(const Model&, const Edits&, const Statistics&);  // what it comes down to

using StatisticsOf = std::function<const Statistics&(const Plan&)>;

// Weights of half the range take the whole wherever nothing can saturate. That is worked out for the schemes of the
// plans that come, each once, with every op in that scheme: plans of a search differ in a few ops only.
class Widening {
 public:
  // `whole`: the search space that the plans are of, without half ranges. The model must outlive this.
  Widening(const Model&, SearchSpace whole, StatisticsOf);

  Plan operator()(Plan);

 private:
  const std::vector<std::string>& saturating(const OpPlan& scheme, const Plan&);

  struct Known {
    Plan plan;
    std::vector<std::string> saturating;
  };
  const Model& model_;
  SearchSpace whole_;
  StatisticsOf statistics_of_;
  std::deque<Known> known_;
};

}  // namespace lpot
