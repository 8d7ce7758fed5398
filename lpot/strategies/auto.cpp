// auto: meets the goal with as few evaluations as possible.
//
// A trial evaluates a plan on all data. A probe only measures, on a few samples, the distance of the outputs from the
// outputs of the fp32 model. Probes are cheap, so the strategy uses them to find plans that are worth a trial.
//
// Steps. Each is explained at the function that implements it.
// 1. Try the preferred scheme for the whole model.               search_for_goal
// 2. Probe the other schemes and recipes, choose a start plan.   choose_start
// 3. Find the fewest ops that must fall back to fp32.            choose_fallback
// 4. Try the plan. If it fails, go on with step 3 from there.    search_for_goal
// 5. With a time budget, return ops to int8.                     return_ops_to_int8
//
// Cost: one evaluation if the first plan meets the goal, else a few more. Evaluations that fail end early.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "lpot/strategies/common.h"

namespace lpot {
namespace {

constexpr std::size_t kMaxSchemes = 6;
constexpr double kLargeImprovement = 0.5;    // new distance divided by the distance before
constexpr double kSmallImprovement = 0.05;   // gain from twice as many ops, as a share of the whole distance
constexpr double kSimilarDistance = 1.15;    // distances up to this factor count as equal
constexpr std::size_t kMaxReturnProbes = 8;  // without_needless_fallback probes at most this many ops
constexpr std::size_t kSingles = 8;          // rank_by_probes probes this many ops one by one
constexpr std::size_t kGroups = 6;           // and the other ops in this many groups
constexpr double kExplainedShare = 0.25;     // groups are probed if single ops explain less than this of the distance

// Plans for the whole model: the preferred scheme first, then other recipes, then other schemes.
std::vector<Scheme> whole_model_plans(const SearchSpace& space) {
  std::vector<Scheme> schemes = schemes_of(space);
  if (schemes.empty()) return schemes;
  const Scheme first = schemes.front();
  const PlanKey of_ops{first.key.sum - key_of(first.recipes, first.sampling_size).sum};
  std::vector<Scheme> plans{first};
  for (std::size_t i = 1; i < space.recipes.size(); ++i) {
    plans.push_back(first);
    plans.back().recipes = space.recipes[i];
    plans.back().key = key_of(space.recipes[i], first.sampling_size).with(of_ops);
  }
  plans.insert(plans.end(), schemes.begin() + 1, schemes.end());
  if (plans.size() > kMaxSchemes) plans.erase(plans.begin() + kMaxSchemes, plans.end());
  return plans;
}

// The plan that ops fall back from. Plans with more fallback ops are looked up by their keys and built only if the
// history does not have them.
struct StartingPlan {
  Plan plan;
  PlanKey key;
  std::size_t int8_count;

  explicit StartingPlan(const Plan& from) : plan(from), key(key_of(from)), int8_count(from.int8_count()) {}

  Plan without(const std::vector<std::string>& ops) const {
    Plan result = plan;
    for (const std::string& op : ops) result = with_fallback(std::move(result), op);
    return result;
  }
};

// Computes one step of the strategy. It replays the search with the recorded trials and probes. The first one that is
// missing becomes the next step.
class Search {
 public:
  Search(const SearchSpace& space, const History& history) : space_(space), history_(history) {}

  std::optional<Step> step() {
    if (history_.met()) {
      if (history_.has_budget) return_ops_to_int8();
    } else {
      search_for_goal();
    }
    return step_;
  }

 private:
  struct Ranked {
    std::string op;
    PlanKey change;   // change of the plan's key when the op falls back
    double gain = 0;  // decrease of the distance when the op falls back, or the op's share of its group's decrease
    double noise = 0;
  };

  const Trial* trial(const Scheme& scheme) {
    return trial(scheme.key, [&] { return scheme.plan(space_); });
  }

  template <typename BuildPlan>
  const Trial* trial(PlanKey key, BuildPlan&& build_plan) {
    const Trial* found = history_.find(key);
    if (!found) step_ = Step{build_plan(), Step::Kind::Try};
    return found;
  }

  // `ahead`: an upper bound of the number of probes that follow.
  template <typename BuildPlan>
  std::optional<double> distance(PlanKey key, std::size_t ahead, BuildPlan&& build_plan) {
    if (const Probe* found = history_.find_probe(key)) return found->distance;
    step_ = Step{build_plan(), Step::Kind::Probe, ahead};
    return std::nullopt;
  }

  std::optional<double> distance(const Scheme& scheme, std::size_t ahead) {
    return distance(scheme.key, ahead, [&] { return scheme.plan(space_); });
  }

  std::optional<double> distance(const StartingPlan& current) {
    return distance(current.key, 0, [&] { return current.plan; });
  }

  // Step 1: try the preferred scheme for the whole model. If it meets the goal, the search ends.
  // Step 4: try the plan with the fallback ops of step 3. If it fails, its loss and distance give a better estimate of
  // the target distance, and the next round of step 3 starts from this plan.
  void search_for_goal() {
    const std::vector<Scheme> plans = whole_model_plans(space_);
    if (plans.empty() || !trial(plans.front())) return;
    const Trial* start = choose_start(plans);
    if (!start) return;
    for (StartingPlan current(start->plan);;) {
      const auto fallback = choose_fallback(current);
      if (!fallback || fallback->empty()) return;
      current = StartingPlan(current.without(*fallback));
      if (!trial(current.key, [&] { return current.plan; })) return;
    }
  }

  // Step 2: choose the plan that ops fall back from. Probes all whole-model plans. The plan closest to fp32 is tried if
  // it may meet the goal, or if it is as close as the first plan with the fallback ops of step 3. Otherwise the first
  // plan is the start.
  const Trial* choose_start(const std::vector<Scheme>& plans) {
    const Scheme& first = plans.front();
    const Trial* tried_first = history_.find(first.key);
    if (!tried_first->result) return first_successful(plans);
    const auto before = distance(first, plans.size() - 1);
    if (!before) return nullptr;
    const Scheme* nearest = nullptr;
    double least = *before;
    for (std::size_t i = 1; i < plans.size(); ++i) {
      const auto found = distance(plans[i], plans.size() - 1 - i);
      if (!found) return nullptr;
      if (*found < least) {
        least = *found;
        nearest = &plans[i];
      }
    }
    if (!nearest) return tried_first;
    const bool may_meet_goal = least <= kSimilarDistance * target_distance(first.key, *before);
    if (may_meet_goal && !trial(*nearest)) return nullptr;
    const StartingPlan current(tried_first->plan);
    const auto fallback = choose_fallback(current);
    if (!fallback) return nullptr;
    const auto with = distance_without(current, *fallback);
    if (!with) return nullptr;
    if (least > kSimilarDistance * *with) return tried_first;
    const Trial* tried = trial(*nearest);
    if (!tried) return nullptr;
    return tried->result ? tried : tried_first;
  }

  const Trial* first_successful(const std::vector<Scheme>& plans) {
    for (const Scheme& plan : plans) {
      const Trial* tried = trial(plan);
      if (!tried || tried->result) return tried;
    }
    return nullptr;
  }

  // Step 3: find the fewest ops whose fallback may meet the goal. The ops with the largest expected noise (noise.h) are
  // first. If half of the ops are not enough, the ops are ranked again with probes. Ops that fall back needlessly
  // return to int8. Empty if no more ops can fall back; nullopt if a probe is needed first.
  std::optional<std::vector<std::string>> choose_fallback(const StartingPlan& current) {
    const auto by_noise = rank_by_noise(current);
    const std::size_t most = most_to_fall_back(current, by_noise);
    if (most == 0) return std::vector<std::string>{};
    auto found = find_fewest(current, by_noise, std::max<std::size_t>(1, most / 2));
    if (!found) return std::nullopt;
    if (!found->enough && most > 1) {
      const auto by_probes = rank_by_probes(current, by_noise);
      if (!by_probes) return std::nullopt;
      found = find_fewest(current, *by_probes, most);
      if (!found) return std::nullopt;
    }
    return without_needless_fallback(current, *found);
  }

  std::vector<Ranked> rank_by_noise(const StartingPlan& current) const {
    std::vector<Ranked> ranked;
    const std::map<std::string, double>& noise = space_.noise;
    for (const std::string& op : ops_to_fall_back(space_, current.plan)) {
      const auto found = noise.find(op);
      ranked.push_back({op, key_with_fallback(current.plan, {}, op), 0, found == noise.end() ? 0 : found->second});
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) { return a.noise > b.noise; });
    return ranked;
  }

  // At least one op stays in int8.
  static std::size_t most_to_fall_back(const StartingPlan& current, const std::vector<Ranked>& ranked) {
    return ranked.size() == current.int8_count ? ranked.size() - 1 : ranked.size();
  }

  struct Fewest {
    std::vector<std::string> ops;
    double limit = 0;     // the distance to reach
    bool enough = false;  // whether the ops reach the limit
  };

  // Probes the first 1, 2, 4, ... ops of the ranking, until the distance is small enough or more ops do not help. Then
  // finds the smallest number of ops by bisection.
  std::optional<Fewest> find_fewest(const StartingPlan& current, const std::vector<Ranked>& ranking, std::size_t most) {
    const auto known = distance(current);
    if (!known) return std::nullopt;
    const double before = *known;
    std::vector<PlanKey> keys{current.key};  // keys[n]: the first n ops in fp32
    for (std::size_t i = 0; i < most; ++i) keys.push_back(keys.back().with(ranking[i].change));
    const auto distance_with = [&](std::size_t ops, std::size_t ahead) {
      return distance(keys[ops], ahead, [&] { return current.without(first_ops(ranking, ops)); });
    };
    double limit = target_distance(current.key, before), last = before;
    bool enough = false;
    std::size_t too_few = 0, count = 1;
    for (;; count = std::min(2 * count, most)) {
      const auto found = distance_with(count, std::bit_width(most / count) + std::bit_width(count));
      if (!found) return std::nullopt;
      const double now = *found;
      enough = now <= limit;
      if (enough) break;
      const bool helped_before = too_few > 0 && last < kLargeImprovement * before;
      if (helped_before && last - now < kSmallImprovement * before) {  // more ops do not help
        count = too_few;
        too_few = count / 2;
        limit = kSimilarDistance * last;
        enough = true;
        break;
      }
      if (count >= most) {
        // The target is not reached, but a large improvement is still worth a trial.
        enough = now < kLargeImprovement * before;
        if (enough) limit = kSimilarDistance * now;
        break;
      }
      too_few = count;
      last = now;
    }
    while (enough && count - too_few > 1) {
      const std::size_t middle = too_few + (count - too_few) / 2;
      const auto found = distance_with(middle, std::bit_width(count - too_few) - 1);
      if (!found) return std::nullopt;
      (*found <= limit ? count : too_few) = middle;
    }
    return Fewest{first_ops(ranking, count), limit, enough};
  }

  static std::vector<std::string> first_ops(const std::vector<Ranked>& ranking, std::size_t count) {
    std::vector<std::string> ops;
    for (std::size_t i = 0; i < count; ++i) ops.push_back(ranking[i].op);
    return ops;
  }

  // Returns ops to int8 that do not need to fall back. Ops for which int8 saves most time are first.
  std::optional<std::vector<std::string>> without_needless_fallback(const StartingPlan& current, const Fewest& fewest) {
    std::vector<std::string> fallback = fewest.ops;
    if (!fewest.enough || fallback.size() < 2 || fallback.size() > kMaxReturnProbes) return fallback;
    std::vector<std::string> candidates = fallback;
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const std::string& a, const std::string& b) { return saved_ms(a) > saved_ms(b); });
    std::size_t ahead = candidates.size();
    for (const std::string& op : candidates) {
      std::vector<std::string> fewer = fallback;
      std::erase(fewer, op);
      const auto found = distance_without(current, fewer, --ahead);
      if (!found) return std::nullopt;
      if (*found <= fewest.limit && !fewer.empty()) fallback = std::move(fewer);
    }
    return fallback;
  }

  double saved_ms(const std::string& op) const {
    const auto found = space_.saved_ms.find(op);
    return found == space_.saved_ms.end() ? 0 : found->second;
  }

  // Ranks ops by the decrease of the distance when they fall back, largest first.
  std::optional<std::vector<Ranked>> rank_by_probes(const StartingPlan& current, std::vector<Ranked> ranked) {
    const auto before = distance(current);
    if (!before) return std::nullopt;
    double explained = 0;
    const std::size_t singles = std::min(kSingles, ranked.size());
    for (std::size_t i = 0; i < singles; ++i) {
      const auto after =
          distance_without(current, {ranked[i].op}, singles - 1 - i + (ranked.size() > kSingles ? kGroups : 0));
      if (!after) return std::nullopt;
      ranked[i].gain = gain(*before, *after);
      explained += std::max(0.0, ranked[i].gain);
    }
    if (ranked.size() > kSingles && !(explained >= kExplainedShare * *before) && !rank_by_groups(current, ranked))
      return std::nullopt;
    std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) { return a.gain > b.gain; });
    return ranked;
  }

  // Probes the other ops in groups of neighbours. Each op gets an equal share of the gain of its group.
  bool rank_by_groups(const StartingPlan& current, std::vector<Ranked>& ranked) {
    std::vector<std::string> others;
    for (const std::string& op : ops_to_fall_back(space_, current.plan)) {
      const auto singles = ranked.begin() + static_cast<std::ptrdiff_t>(kSingles);
      if (std::none_of(ranked.begin(), singles, [&](const Ranked& probed) { return probed.op == op; }))
        others.push_back(op);
    }
    const double before = *distance(current);
    const std::size_t size = (others.size() + kGroups - 1) / kGroups;
    std::unordered_map<std::string, double> gains;
    for (std::size_t first = 0; first < others.size(); first += size) {
      const std::vector<std::string> group(
          others.begin() + static_cast<std::ptrdiff_t>(first),
          others.begin() + static_cast<std::ptrdiff_t>(std::min(first + size, others.size())));
      const auto after = distance_without(current, group, (others.size() - first - 1) / size);
      if (!after) return false;
      for (const std::string& op : group) gains[op] = gain(before, *after) / static_cast<double>(group.size());
    }
    for (Ranked& op : ranked)
      if (const auto found = gains.find(op.op); found != gains.end()) op.gain = found->second;
    return true;
  }

  // A plan without int8 ops is the fp32 model, so its distance is 0.
  std::optional<double> distance_without(const StartingPlan& current, const std::vector<std::string>& ops,
                                         std::size_t ahead = 0) {
    if (ops.size() == current.int8_count) return 0.0;
    PlanKey key = current.key;
    for (const std::string& op : ops) key = key_with_fallback(current.plan, key, op);
    return distance(key, ahead, [&] { return current.without(ops); });
  }

  static double gain(double before, double after) {
    if (!std::isfinite(after)) return -std::numeric_limits<double>::infinity();
    return std::isfinite(before) ? before - after : 1.0;
  }

  // The distance at which the goal is expected to be met, estimated from the trial of the plan. Assumes that the
  // accuracy loss is proportional to the distance.
  double target_distance(PlanKey plan, double distance) const {
    const Trial* known = history_.find(plan);
    if (!known || !known->result || !std::isfinite(distance)) return 0;
    const double loss = history_.goal.loss(known->result->accuracy);
    return loss > 0 ? distance * std::max(0.0, history_.goal.allowed_loss()) / loss : 0;
  }

  // Step 5: with a time budget, once the goal is met. Takes the fastest trial that meets the goal and returns one more
  // op to int8, the op that saves most time first.
  void return_ops_to_int8() {
    const Trial* best = nullptr;
    for (const Trial& each : history_.trials)
      if (each.result && history_.goal.met(each.result->accuracy) &&
          (!best || each.result->speedup > best->result->speedup))
        best = &each;
    struct Candidate {
      std::string op;
      OpPlan choice;
      double saved_ms;
    };
    std::vector<Candidate> candidates;
    const Plan whole = whole_model_plans(space_).front().plan(space_);
    for (const std::string& op : best->plan.fallback()) {
      const OpPlan& choice = whole.ops.at(op);
      if (choice.precision != Precision::Int8) continue;
      candidates.push_back({op, choice, saved_ms(op)});
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.saved_ms > b.saved_ms; });
    const PlanKey key = key_of(best->plan);
    for (const auto& [op, choice, saved] : candidates) {
      const auto returned_plan = [&, &op = op, &choice = choice] {
        Plan plan = best->plan;
        plan.ops.at(op) = choice;
        return plan;
      };
      if (saved >= 0 && !trial(key.with(op, best->plan.ops.at(op), choice), returned_plan)) return;
    }
  }

  const SearchSpace& space_;
  const History& history_;
  std::optional<Step> step_;
};

class Auto : public Strategy {
 public:
  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    return Search(space, history).step();
  }
  bool needs_scores() const override { return false; }
};

}  // namespace

std::unique_ptr<Strategy> make_auto_strategy() { return std::make_unique<Auto>(); }

}  // namespace lpot
