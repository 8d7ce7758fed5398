#include "lpot/strategies/op_noise.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace lpot {
namespace {

constexpr std::size_t kSingles = 16;     // ops that are probed alone; more would cost more than a trial
constexpr std::size_t kGroups = 8;       // the ops are first probed in this many groups
constexpr double kLeastCost = 0.1;       // cheaper ops count as this share of the mean: their times are uncertain
constexpr double kLeastExpected = 1e-3;  // least expected noise, as a share of the mean: no op is free of noise
constexpr double kLeastRest = 0.01;      // share of a group that stays with its other ops, because noise varies
constexpr double kFailedPower = 1e12;    // of a probe that failed

// Probes ops, the most promising ones alone.
class NoiseMeasurement {
 public:
  NoiseMeasurement(Replay& replay, const StartingPlan& start, double remaining)
      : replay_(replay), start_(start), names_(ops_to_fall_back(replay.space(), start.plan)), remaining_(remaining) {}

  std::optional<FallbackOps> run() {
    set_costs();
    if (names_.empty() || !measure_rest()) return names_.empty() ? std::optional(FallbackOps{}) : std::nullopt;
    const std::size_t size = names_.size() <= kSingles ? 1 : (names_.size() + kGroups - 1) / kGroups;
    if (!measure_groups(size)) return std::nullopt;
    for (std::size_t left = kSingles; left > 0; --left) {
      const auto op = next_single();
      if (!op) break;
      const auto power = power_of({*op, *op + 1}, left - 1);
      if (!power) return std::nullopt;
      set_single(*op, std::max(0.0, *power - floor_));
    }
    return FallbackOps{ranked(), rest_, rest_ > 0 ? 0 : floor_};
  }

 private:
  struct Group {
    std::size_t first, end;  // in topological order
    double power = 0;
    std::size_t size() const { return end - first; }
  };

  void set_costs() {
    const SearchSpace& space = replay_.space();
    double sum = 0;
    for (const std::string& op : names_) sum += std::max(0.0, saved_ms(space, op));
    const double mean = names_.empty() ? 0 : sum / static_cast<double>(names_.size());
    double expected = 0;
    for (const std::string& op : names_) expected += expected_noise(op);
    const double mean_expected = expected / static_cast<double>(std::max<std::size_t>(1, names_.size()));
    for (const std::string& op : names_) {
      const double cost = mean > 0 ? std::max(kLeastCost * mean, saved_ms(space, op)) : 1;
      ops_.push_back({op, 0, cost});
      expected_.push_back(mean_expected > 0 ? std::max(kLeastExpected * mean_expected, expected_noise(op)) : 1);
    }
    is_single_.resize(names_.size(), false);
  }

  double expected_noise(const std::string& op) const {
    const auto found = replay_.space().noise.find(op);
    return found == replay_.space().noise.end() || !std::isfinite(found->second) ? 0 : found->second;
  }

  // The noise of the model in which all these ops fall back: of other int8 ops, or of a 16-bit precision.
  bool measure_rest() {
    const Plan plan = start_.without(names_);
    if (plan.int8_count() == 0 && plan.inference_precision == InferencePrecision::F32) return true;
    const auto distance = replay_.distance(key_of(plan), kGroups + kSingles, [&] { return plan; });
    if (distance) floor_ = power(*distance);
    if (plan.int8_count() > 0) rest_ = floor_;
    return distance.has_value();
  }

  // All probed models have the noise of the rest. In 16 bits, other kernels run if no op is in int8, and their noise
  // may be larger than that of any other probe. So the least power of all probes is subtracted.
  bool measure_groups(std::size_t size) {
    std::vector<std::pair<Group, double>> measured;
    for (std::size_t first = 0; first < names_.size(); first += size) {
      const Group group{first, std::min(first + size, names_.size())};
      const auto power = power_of(group, (names_.size() - group.end + size - 1) / size + kSingles);
      if (!power) return false;
      measured.emplace_back(group, *power);
    }
    for (const auto& [group, power] : measured) floor_ = std::min(floor_, power);
    for (const auto& [group, power] : measured) distribute(group, power - floor_);
    return true;
  }

  static double power(double distance) { return std::isfinite(distance) ? distance * distance : kFailedPower; }

  std::optional<double> power_of(const Group& group, std::size_t ahead) {
    std::vector<std::string> others(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(group.first));
    others.insert(others.end(), names_.begin() + static_cast<std::ptrdiff_t>(group.end), names_.end());
    const auto distance = replay_.distance(start_.key_without(others), ahead, [&] { return start_.without(others); });
    if (!distance) return std::nullopt;
    return power(*distance);
  }

  void distribute(Group group, double power) {
    if (group.size() == 1) return set_single(group.first, power);
    group.power = power;
    groups_.push_back(group);
    distribute_rest(group);
  }

  // Ops that were not probed alone share what the others leave of their group.
  void distribute_rest(const Group& group) {
    double rest = group.power, expected = 0;
    for (std::size_t i = group.first; i < group.end; ++i) {
      if (is_single_[i]) rest -= ops_[i].power;
      if (!is_single_[i]) expected += expected_[i];
    }
    rest = std::max(rest, kLeastRest * group.power);
    for (std::size_t i = group.first; i < group.end; ++i)
      if (!is_single_[i]) ops_[i].power = rest * expected_[i] / expected;
  }

  void set_single(std::size_t op, double power) {
    is_single_[op] = true;
    ops_[op].power = power;
    for (const Group& group : groups_)
      if (group.first <= op && op < group.end) distribute_rest(group);
  }

  std::vector<std::size_t> order() const {
    std::vector<std::size_t> order(ops_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return ops_[a].per_cost() > ops_[b].per_cost(); });
    return order;
  }

  // The first op that was not probed alone, among those that must fall back.
  std::optional<std::size_t> next_single() const {
    double power = rest_;
    for (const OpNoise& op : ops_) power += op.power;
    const double target = remaining_ * power;
    for (const std::size_t i : order()) {
      if (power <= target) break;
      if (!is_single_[i]) return i;
      power -= ops_[i].power;
    }
    return std::nullopt;
  }

  std::vector<OpNoise> ranked() const {
    std::vector<OpNoise> ranked;
    for (const std::size_t i : order()) ranked.push_back(ops_[i]);
    return ranked;
  }

  Replay& replay_;
  const StartingPlan& start_;
  std::vector<std::string> names_;
  double remaining_;
  double floor_ = 0, rest_ = 0;
  std::vector<OpNoise> ops_;  // in topological order, like the next two
  std::vector<double> expected_;
  std::vector<bool> is_single_;
  std::vector<Group> groups_;
};

}  // namespace

Plan StartingPlan::without(const std::vector<std::string>& ops) const {
  Plan result = plan;
  for (const std::string& op : ops) result = with_fallback(std::move(result), op);
  return result;
}

PlanKey StartingPlan::key_without(const std::vector<std::string>& ops) const {
  PlanKey result = key;
  for (const std::string& op : ops) result = key_with_fallback(plan, result, op);
  return result;
}

double FallbackOps::total_power() const {
  double sum = other_power;
  for (const OpNoise& op : ops) sum += op.power;
  return sum;
}

double saved_ms(const SearchSpace& space, const std::string& op) {
  const auto found = space.saved_ms.find(op);
  return found == space.saved_ms.end() ? 0 : found->second;
}

std::optional<FallbackOps> measure_op_noise(Replay& replay, const StartingPlan& start, double remaining) {
  return NoiseMeasurement(replay, start, remaining).run();
}

}  // namespace lpot
