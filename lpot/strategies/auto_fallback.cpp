#include "lpot/strategies/auto_fallback.h"

#include <algorithm>
#include <cmath>

#include "lpot/strategies/loss_model.h"

namespace lpot {
namespace {

// A set that is tried after a failed one costs more by this factor and by this share of the time that all ops together
// save. Otherwise there would be many trials: smaller steps gain little speed, and each trial takes an evaluation.
constexpr double kGrowth = 1.5;
constexpr double kLeastStep = 0.05;
// Candidates that are estimated before one of them is tried. A larger number finds a cheaper set, but costs samples.
constexpr std::size_t kMaxEstimates = 4;
// A candidate that is not estimated yet must be cheaper than an estimated one by this factor.
constexpr double kWorthAnEstimate = 0.97;

// Which ops fall back first. PowerPerCost finds the cheapest sets. But its last set, in which one op stays in int8, may
// fail because this op saves much time and is noisy. ByPower ends with the set that has the least noise.
enum class Ranking { PowerPerCost, ByPower };

std::vector<OpNoise> ranked(std::vector<OpNoise> ops, Ranking ranking) {
  if (ranking == Ranking::ByPower)
    std::stable_sort(ops.begin(), ops.end(), [](const OpNoise& a, const OpNoise& b) { return a.power > b.power; });
  return ops;
}

class FallbackSearch {
 public:
  FallbackSearch(Replay& replay, const StartingPlan& start, Ranking ranking)
      : replay_(replay), start_(start), ranking_(ranking) {}

  std::optional<Plan> run(const FasterThan& limit) {
    const Probe* start_probe = replay_.probe(start_.plan, 1, 0);
    if (!start_probe) return std::nullopt;
    has_estimates_ = start_probe->loss && start_probe->loss_spread;
    const auto ops = measure_op_noise(replay_, start_, share_that_may_remain());
    if (!ops || ops->ops.empty() || !measure_start()) return std::nullopt;
    set_candidates(*ops);
    const LossModel model = known_losses(*start_probe);
    const auto [first, end] = range(limit);
    const auto chosen = choose(model, first, end, limit.plan != nullptr);
    if (!chosen) return std::nullopt;
    if (!is_estimated(*chosen) && estimated(first, end) < kMaxEstimates) {
      estimate(*chosen);
      return std::nullopt;
    }
    return plan_of(*chosen);
  }

 private:
  // The first ops of the ranking fall back.
  struct Candidate {
    PlanKey key;
    double cost = 0;
    double noise = 1;  // share of the start's
    const Trial* trial = nullptr;
    const Probe* probe = nullptr;  // of level 1, or 0 if there are no estimates
  };

  double allowed() const { return replay_.history().goal.allowed_loss(); }
  double loss_of(const Trial& trial) const { return replay_.history().goal.loss(trial.result->accuracy); }

  double loss_of_start() const {
    const Trial* tried = replay_.history().find(start_.key);
    return tried && tried->result ? loss_of(*tried) : start_.expected_loss;
  }

  double share_that_may_remain() const {
    const double loss = loss_of_start();
    return loss > 0 ? std::clamp(allowed() / loss, 0.0, 1.0) : 0;
  }

  // Distances of candidates are compared with that of the start.
  bool measure_start() {
    if (has_estimates_) return true;
    const auto distance = replay_.distance(start_.key, 0, [&] { return start_.plan; });
    if (distance) start_distance_ = *distance;
    return distance.has_value();
  }

  // At least one op stays in int8.
  void set_candidates(const FallbackOps& ops) {
    const History& history = replay_.history();
    const double total = ops.total_power();
    double power = total, cost = 0;
    PlanKey key = start_.key;
    for (const OpNoise& op : ranked(ops.ops, ranking_)) {
      if (candidates_.size() + 1 == static_cast<std::size_t>(start_.plan.int8_count())) break;
      names_.push_back(op.op);
      power -= op.power;
      cost += op.cost;
      key = key_with_fallback(start_.plan, key, op.op);
      Candidate candidate{key, cost, total > 0 ? std::max(0.0, power / total) : 0};
      candidate.trial = history.find(key);
      candidate.probe = history.find_probe(key, has_estimates_ ? 1 : 0);
      if (candidate.probe && !has_estimates_) candidate.noise = noise_from(candidate.probe->distance, ops.floor_power);
      candidates_.push_back(candidate);
    }
  }

  double noise_from(double distance, double floor_power) const {
    if (!std::isfinite(distance)) return 1;
    const double start_power = std::pow(start_distance_, 2) - floor_power;
    if (!std::isfinite(start_power)) return 0;
    return start_power > 0 ? std::max(0.0, std::pow(distance, 2) - floor_power) / start_power : 1;
  }

  LossModel known_losses(const Probe& start_probe) const {
    const Plan unquantized = unquantized_plan(replay_.space());
    const Probe* without_int8 = replay_.history().find_probe(unquantized, 1);
    const bool is_16_bit = unquantized.inference_precision != InferencePrecision::F32;
    const double floor = is_16_bit && without_int8 && without_int8->loss ? *without_int8->loss : 0;
    const double spread = has_estimates_ ? *start_probe.loss_spread : 0;
    LossModel model(floor, spread);
    model.add({1, loss_of_start(), 0});
    for (const Candidate& candidate : candidates_) {
      if (candidate.trial && candidate.trial->result)
        model.add({candidate.noise, loss_of(*candidate.trial), candidate.trial->result->complete ? 0 : spread});
      else if (const auto own = own_estimate(candidate))
        model.add(*own);
    }
    return model;
  }

  std::optional<LossObservation> own_estimate(const Candidate& candidate) const {
    if (!has_estimates_ || !candidate.probe || !candidate.probe->loss) return std::nullopt;
    const Probe& probe = *candidate.probe;
    // Samples that were not drawn change by chance too.
    return LossObservation{candidate.noise, *probe.loss, std::hypot(probe.loss_error, probe.loss_spread.value_or(0))};
  }

  // The candidates that may be tried: larger than those that failed and, with a limit, faster than its plan.
  std::pair<std::size_t, std::size_t> range(const FasterThan& limit) const {
    std::size_t first = 0, end = candidates_.size();
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (candidates_[i].trial && !has_met(candidates_[i])) first = i + 1;
    // All sets of the other ranking have failed. Only sets with less noise may pass, and these are the last ones.
    if (ranking_ == Ranking::ByPower) return {std::max(first, end - std::min<std::size_t>(end, 1)), end};
    if (limit.plan) {
      const PlanKey limit_key = key_of(*limit.plan);
      const auto known = std::find_if(candidates_.begin(), candidates_.end(),
                                      [&](const Candidate& candidate) { return candidate.key == limit_key; });
      if (known == candidates_.end()) return {0, 0};
      while (end > 0 && candidates_[end - 1].cost > known->cost - limit.ms) --end;
    } else if (first > 0) {
      const double failed = candidates_[first - 1].cost, all = candidates_.back().cost;
      const double least = std::max(kGrowth * failed, failed + kLeastStep * all);
      while (first + 1 < end && candidates_[first].cost < least) ++first;
    }
    return {first, end};
  }

  bool has_met(const Candidate& candidate) const {
    return candidate.trial && candidate.trial->result && replay_.history().goal.met(candidate.trial->result->accuracy);
  }

  bool is_estimated(std::size_t i) const { return candidates_[i].probe != nullptr; }

  std::size_t estimated(std::size_t first, std::size_t end) const {
    std::size_t count = 0;
    for (std::size_t i = first; i < end; ++i) count += is_estimated(i);
    return count;
  }

  double probability(const LossModel& model, const Candidate& candidate) const {
    const bool has_failed = candidate.probe && !std::isfinite(candidate.probe->distance) && !candidate.probe->loss;
    if (has_failed) return 0;
    return model.probability_to_pass(candidate.noise, allowed(), own_estimate(candidate));
  }

  // The cheapest candidate that is worth a trial; if there is none, the most probable one.
  std::optional<std::size_t> choose(const LossModel& model, std::size_t first, std::size_t end,
                                    bool only_worth_a_trial) const {
    std::optional<std::size_t> cheapest, best;
    double highest = -1;
    for (std::size_t i = first; i < end; ++i) {
      if (candidates_[i].trial) continue;
      const double pass_probability = probability(model, candidates_[i]);
      if (pass_probability > highest) {
        highest = pass_probability;
        best = i;
      }
      if (pass_probability < kWorthATrial) continue;
      if (!cheapest) cheapest = i;
      const bool is_cheap_enough = kWorthAnEstimate * candidates_[i].cost <= candidates_[*cheapest].cost;
      if (is_estimated(i) && !is_estimated(*cheapest) && is_cheap_enough) return i;
    }
    return cheapest || only_worth_a_trial ? cheapest : best;
  }

  Plan plan_of(std::size_t i) const {
    return start_.without({names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(i) + 1});
  }

  void estimate(std::size_t i) {
    if (has_estimates_)
      replay_.probe(plan_of(i), 1, kMaxEstimates);
    else
      replay_.distance(candidates_[i].key, kMaxEstimates, [&] { return plan_of(i); });
  }

  Replay& replay_;
  const StartingPlan& start_;
  Ranking ranking_;
  bool has_estimates_ = false;  // of the accuracy, with sample scores
  double start_distance_ = 0;
  std::vector<std::string> names_;  // of the ops, in the order of the ranking
  std::vector<Candidate> candidates_;
};

}  // namespace

std::optional<Plan> choose_fallback(Replay& replay, const StartingPlan& start, const FasterThan& limit) {
  auto plan = FallbackSearch(replay, start, Ranking::PowerPerCost).run(limit);
  const bool is_exhausted = !plan && !replay.step() && !limit.plan;
  return is_exhausted ? FallbackSearch(replay, start, Ranking::ByPower).run(limit) : plan;
}

bool is_fallback_of(const StartingPlan& start, const Plan& plan) {
  std::vector<std::string> ops;
  for (const auto& [name, op] : plan.ops)
    if (!op.is_int8() && start.plan.ops.at(name).is_int8()) ops.push_back(name);
  return start.key_without(ops) == key_of(plan);
}

}  // namespace lpot
