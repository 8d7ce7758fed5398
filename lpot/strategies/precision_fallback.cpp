#include "lpot/strategies/precision_fallback.h"

#include <algorithm>

namespace lpot {
namespace {

bool is_16_bit(const SearchSpace& space) { return space.inference_precision != InferencePrecision::F32; }

// What the strategy proposed for one search space: trials of int8 plans with one inference precision, and all probes
// with that precision.
struct Int8Records {
  std::vector<Trial> trials;
  std::vector<Probe> probes;

  Int8Records(const History& history, InferencePrecision precision) {
    const auto belongs = [&](const auto& record) { return record.plan.inference_precision == precision; };
    std::copy_if(history.trials.begin(), history.trials.end(), std::back_inserter(trials),
                 [&](const Trial& trial) { return belongs(trial) && trial.plan.int8_count() > 0; });
    std::copy_if(history.probes.begin(), history.probes.end(), std::back_inserter(probes), belongs);
  }
};

bool has_evaluated_trial(const History& history) {
  return std::any_of(history.trials.begin(), history.trials.end(),
                     [](const Trial& trial) { return trial.result.has_value(); });
}

bool met_with_int8(const History& history) {
  return std::any_of(history.trials.begin(), history.trials.end(), [&](const Trial& trial) {
    return trial.result && history.goal.met(trial.result->accuracy) && trial.plan.int8_count() > 0;
  });
}

SearchSpace space_in_f32(const SearchSpace& space) {
  SearchSpace result = space;
  static_cast<PlanChoices&>(result) = in_f32(space);
  result.unquantized_speedup = 1;
  return result;
}

class PrecisionFallback : public Strategy {
 public:
  PrecisionFallback(std::shared_ptr<const Strategy> inner, Objective objective)
      : inner_(std::move(inner)), objective_(objective) {}

  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    if (!is_16_bit(space) || !may_be_unquantized(space)) return inner_->next(space, history);
    const Plan without_int8 = unquantized_plan(space);
    const Trial* tried = history.find(without_int8);
    if (!tried) {
      if (!has_evaluated_trial(history) || history.met()) return inner_->next(space, history);
      if (inner_->ranks_plans()) return next_with_ranking(space, history, without_int8);
      return Step{without_int8};
    }
    const bool is_enough = tried->result && history.goal.met(tried->result->accuracy);
    const SearchSpace searched = is_enough ? space : space_in_f32(space);
    const Int8Records known(history, searched.inference_precision);
    return inner_->next(searched, {known.trials, history.goal, history.random_seed, known.probes, history.has_budget});
  }

  std::optional<Step> before_stopping(const SearchSpace& space, const History& history) const override {
    if (!may_be_unquantized(space)) return inner_->before_stopping(space, history);
    // Only the model without int8 meets the goal so far. An int8 plan may be faster.
    if (!met_with_int8(history)) return next(space, history);
    if (auto step = inner_->before_stopping(space, history)) return step;
    return objective_ == Objective::Performance ? slower_than_unquantized(space, history) : std::nullopt;
  }

  bool needs_scores() const override { return inner_->needs_scores(); }
  DistanceKind distance_kind() const override { return inner_->distance_kind(); }

 private:
  // An estimate of the accuracy of the model without int8 replaces its trial, which comes last.
  std::optional<Step> next_with_ranking(const SearchSpace& space, const History& history,
                                        const Plan& without_int8) const {
    const Probe* ranked = history.find_probe(without_int8, 1);
    if (!ranked) return Step{without_int8, Step::Kind::Probe, 1, 1};
    if (!ranked->loss) return Step{without_int8};
    if (*ranked->loss - ranked->loss_error > history.goal.allowed_loss()) return next_in_f32(space, history);
    if (auto step = inner_->next(space, history)) return step;
    return Step{without_int8};
  }

  std::optional<Step> next_in_f32(const SearchSpace& space, const History& history) const {
    const SearchSpace searched = space_in_f32(space);
    const Int8Records known(history, searched.inference_precision);
    return inner_->next(searched, {known.trials, history.goal, history.random_seed, known.probes, history.has_budget});
  }

  // A model without int8 that may be as fast as the best trial. The lower end of that trial's interval does not count:
  // it is far below the median on a busy machine, and a trial of a model of the same speed would gain nothing.
  std::optional<Step> slower_than_unquantized(const SearchSpace& space, const History& history) const {
    const Trial* best = best_known(history.trials, history.goal, objective_);
    if (!best || best->plan.int8_count() == 0) return std::nullopt;
    const Measurement& result = *best->result;
    const Plan without_int8 = unquantized_plan(space);
    if (is_16_bit(space) && space.unquantized_speedup >= result.speedup && !history.find(without_int8))
      return Step{without_int8};
    const Plan original = unquantized_plan(in_f32(space));
    if (highest_speedup(result) < 1 && !history.find(original)) return Step{original};
    return std::nullopt;
  }

  std::shared_ptr<const Strategy> inner_;
  Objective objective_;
};

}  // namespace

std::shared_ptr<const Strategy> with_precision_fallback(std::shared_ptr<const Strategy> inner, Objective objective) {
  return std::make_shared<PrecisionFallback>(std::move(inner), objective);
}

}  // namespace lpot
