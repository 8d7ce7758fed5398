// auto: the goal with as few evaluations as can be.
//
// 1. The preferred scheme for the whole model. If it meets the goal, that is all.
// 2. The other schemes and recipes are looked at with a few samples (probes: how far the outputs are from fp32's). The
//    nearest is tried when it should meet the goal, or when it comes as near as the first does by step 3.
// 3. Ops fall back to fp32, those first whose expected noise (noise.h) is largest: 1, 2, 4, ... of them are probed
// until
//    the distance should do for the goal (the loss of accuracy is taken as proportional to it), or until more ops bring
//    no more. Where half of the ops are not enough, the ranking is made anew by probing the ops, and groups of them,
//    one by one. What falls back without need returns.
// 4. That plan is tried. If it fails, it has taught how loss and distance are related, and is what the next round
// starts
//    from.
// 5. With a budget, once the goal is met: ops that fell back return to int8 one by one, those first that save most
// time,
//    as long as the goal holds.
// Cost: one evaluation where the first plan passes; a few more, of which those that fail end early, where it does not.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "lpot/strategies/common.h"

namespace lpot {
namespace {

constexpr std::size_t kMostSchemes = 6;
constexpr double kMuchNearer = 0.5;  // a distance against the one before
constexpr double kLittle = 0.05;     // what twice as many ops gain, as a share of the whole distance
constexpr double kAboutAsNear = 1.15;
constexpr std::size_t kMostReturns = 8;  // ops that are probed whether they fell back without need
constexpr std::size_t kSingles = 8;      // ops that are probed one by one in a round
constexpr std::size_t kGroups = 6;
constexpr double kExplained = 0.25;  // of the distance, by the ops that were probed one by one

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
  if (plans.size() > kMostSchemes) plans.erase(plans.begin() + kMostSchemes, plans.end());
  return plans;
}

// What ops fall back from. Plans with fallbacks are asked for by their keys and made when nothing is known of them.
struct Current {
  Plan plan;
  PlanKey key;
  std::size_t int8_count;

  explicit Current(const Plan& from) : plan(from), key(key_of(from)), int8_count(from.int8_count()) {}

  Plan without(const std::vector<std::string>& ops) const {
    Plan result = plan;
    for (const std::string& op : ops) result = with_fallback(std::move(result), op);
    return result;
  }
};

// One answer of the strategy. What it needs to know and does not becomes `step`, and the question is asked again later.
class Search {
 public:
  Search(const SearchSpace& space, const History& history) : space_(space), history_(history) {}

  std::optional<Step> step() {
    if (history_.met()) {
      if (history_.has_budget) give_back();
    } else {
      look_for_a_pass();
    }
    return step_;
  }

 private:
  struct Ranked {
    std::string op;
    PlanKey change;   // of the plan's key, by the op's fallback
    double gain = 0;  // of distance, by the op's fallback; of a group, its share
    double noise = 0;
  };

  const Trial* trial(const Scheme& scheme) {
    return trial(scheme.key, [&] { return scheme.plan(space_); });
  }

  template <typename MakePlan>
  const Trial* trial(PlanKey key, MakePlan&& make_plan) {
    const Trial* found = history_.find(key);
    if (!found) step_ = Step{make_plan(), Step::Kind::Try};
    return found;
  }

  // `ahead`: probes that will follow at most, as far as it is known here.
  template <typename MakePlan>
  std::optional<double> distance(PlanKey key, std::size_t ahead, MakePlan&& make_plan) {
    if (const Probe* found = history_.find_probe(key)) return found->distance;
    step_ = Step{make_plan(), Step::Kind::Probe, ahead};
    return std::nullopt;
  }

  std::optional<double> distance(const Scheme& scheme, std::size_t ahead) {
    return distance(scheme.key, ahead, [&] { return scheme.plan(space_); });
  }

  std::optional<double> distance(const Current& current) {
    return distance(current.key, 0, [&] { return current.plan; });
  }

  void look_for_a_pass() {
    const std::vector<Scheme> plans = whole_model_plans(space_);
    if (plans.empty() || !trial(plans.front())) return;
    const Trial* start = start_among(plans);
    if (!start) return;
    for (Current current(start->plan);;) {
      const auto fallback = fallback_from(current);
      if (!fallback || fallback->empty()) return;
      current = Current(current.without(*fallback));
      if (!trial(current.key, [&] { return current.plan; })) return;
    }
  }

  // What ops fall back from: the first plan, or another that is nearer to fp32 than the first one with fallbacks.
  const Trial* start_among(const std::vector<Scheme>& plans) {
    const Scheme& first = plans.front();
    const Trial* tried_first = history_.find(first.key);
    if (!tried_first->result) return first_that_works(plans);
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
    const bool should_do = least <= kAboutAsNear * wanted_distance(first.key, *before);
    if (should_do && !trial(*nearest)) return nullptr;
    const Current current(tried_first->plan);
    const auto fallback = fallback_from(current);
    if (!fallback) return nullptr;
    const auto with = distance_without(current, *fallback);
    if (!with) return nullptr;
    if (least > kAboutAsNear * *with) return tried_first;
    const Trial* tried = trial(*nearest);
    if (!tried) return nullptr;
    return tried->result ? tried : tried_first;
  }

  const Trial* first_that_works(const std::vector<Scheme>& plans) {
    for (const Scheme& plan : plans) {
      const Trial* tried = trial(plan);
      if (!tried || tried->result) return tried;
    }
    return nullptr;
  }

  // The fewest ops that should be enough; none when no more can fall back. Nothing when something has to be known
  // first.
  std::optional<std::vector<std::string>> fallback_from(const Current& current) {
    const auto by_noise = rank_by_noise(current);
    const std::size_t most = most_to_fall_back(current, by_noise);
    if (most == 0) return std::vector<std::string>{};
    auto found = fewest_along(current, by_noise, std::max<std::size_t>(1, most / 2));
    if (!found) return std::nullopt;
    if (!found->enough && most > 1) {
      const auto by_probes = rank_by_probes(current, by_noise);
      if (!by_probes) return std::nullopt;
      found = fewest_along(current, *by_probes, most);
      if (!found) return std::nullopt;
    }
    return returned(current, *found);
  }

  std::vector<Ranked> rank_by_noise(const Current& current) const {
    std::vector<Ranked> ranked;
    const std::map<std::string, double>& noise = space_.noise;
    for (const std::string& op : ops_to_fall_back(space_, current.plan)) {
      const auto found = noise.find(op);
      ranked.push_back({op, key_with_fallback(current.plan, {}, op), 0, found == noise.end() ? 0 : found->second});
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) { return a.noise > b.noise; });
    return ranked;
  }

  // One op stays in int8.
  static std::size_t most_to_fall_back(const Current& current, const std::vector<Ranked>& ranked) {
    return ranked.size() == current.int8_count ? ranked.size() - 1 : ranked.size();
  }

  struct Fewest {
    std::vector<std::string> ops;
    double limit = 0;     // the distance that is good enough
    bool enough = false;  // it is reached
  };

  // Along the ranking: 1, 2, 4, ... ops until the distance is small enough or more bring no more, then bisection.
  std::optional<Fewest> fewest_along(const Current& current, const std::vector<Ranked>& ranking, std::size_t most) {
    const auto known = distance(current);
    if (!known) return std::nullopt;
    const double before = *known;
    std::vector<PlanKey> keys{current.key};  // with so many ops in fp32
    for (std::size_t i = 0; i < most; ++i) keys.push_back(keys.back().with(ranking[i].change));
    const auto distance_with = [&](std::size_t ops, std::size_t ahead) {
      return distance(keys[ops], ahead, [&] { return current.without(first_ops(ranking, ops)); });
    };
    double limit = wanted_distance(current.key, before), last = before;
    bool enough = false;
    std::size_t too_few = 0, count = 1;
    for (;; count = std::min(2 * count, most)) {
      const auto found = distance_with(count, std::bit_width(most / count) + std::bit_width(count));
      if (!found) return std::nullopt;
      const double now = *found;
      enough = now <= limit;
      if (enough) break;
      const bool had_helped = too_few > 0 && last < kMuchNearer * before;
      if (had_helped && last - now < kLittle * before) {  // the knee: this does not help any more
        count = too_few;
        too_few = count / 2;
        limit = kAboutAsNear * last;
        enough = true;
        break;
      }
      if (count >= most) {
        // More than that is not asked for here; it is a step all the same when it helped much.
        enough = now < kMuchNearer * before;
        if (enough) limit = kAboutAsNear * now;
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

  // Without the ops that need not fall back: those first that int8 saves most time for.
  std::optional<std::vector<std::string>> returned(const Current& current, const Fewest& fewest) {
    std::vector<std::string> kept = fewest.ops;
    if (!fewest.enough || kept.size() < 2 || kept.size() > kMostReturns) return kept;
    std::vector<std::string> candidates = kept;
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const std::string& a, const std::string& b) { return saved_ms(a) > saved_ms(b); });
    std::size_t ahead = candidates.size();
    for (const std::string& op : candidates) {
      std::vector<std::string> fewer = kept;
      std::erase(fewer, op);
      const auto found = distance_without(current, fewer, --ahead);
      if (!found) return std::nullopt;
      if (*found <= fewest.limit && !fewer.empty()) kept = std::move(fewer);
    }
    return kept;
  }

  double saved_ms(const std::string& op) const {
    const auto found = space_.saved_ms.find(op);
    return found == space_.saved_ms.end() ? 0 : found->second;
  }

  // The most harmful first, by what their fallback brings.
  std::optional<std::vector<Ranked>> rank_by_probes(const Current& current, std::vector<Ranked> ranked) {
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
    if (ranked.size() > kSingles && !(explained >= kExplained * *before) && !rank_by_groups(current, ranked))
      return std::nullopt;
    std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) { return a.gain > b.gain; });
    return ranked;
  }

  // Neighbouring ops that were not probed alone share the gain of their group.
  bool rank_by_groups(const Current& current, std::vector<Ranked>& ranked) {
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

  // A plan without any int8 op is fp32 itself, at a distance of 0.
  std::optional<double> distance_without(const Current& current, const std::vector<std::string>& ops,
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

  // The distance at which the goal should be met, as far as the trial of the plan tells.
  double wanted_distance(PlanKey plan, double distance) const {
    const Trial* known = history_.find(plan);
    if (!known || !known->result || !std::isfinite(distance)) return 0;
    const double loss = history_.goal.loss(known->result->accuracy);
    return loss > 0 ? distance * std::max(0.0, history_.goal.allowed_loss()) / loss : 0;
  }

  // The fastest trial that meets the goal, with one op more in int8.
  void give_back() {
    const Trial* best = nullptr;
    for (const Trial& each : history_.trials)
      if (each.result && history_.goal.met(each.result->accuracy) &&
          (!best || each.result->speedup > best->result->speedup))
        best = &each;
    struct Returned {
      std::string op;
      OpPlan choice;
      double saved_ms;
    };
    std::vector<Returned> candidates;
    const Plan whole = whole_model_plans(space_).front().plan(space_);
    for (const std::string& op : best->plan.fallback()) {
      const OpPlan& choice = whole.ops.at(op);
      if (choice.precision != Precision::Int8) continue;
      candidates.push_back({op, choice, saved_ms(op)});
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Returned& a, const Returned& b) { return a.saved_ms > b.saved_ms; });
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
