#include "lpot/strategies/auto_fallback.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace lpot {
namespace {

constexpr double kLargeImprovement = 0.5;    // new distance divided by the distance before
constexpr double kSmallImprovement = 0.05;   // gain from twice as many ops, as a share of the whole distance
constexpr std::size_t kMaxReturnProbes = 8;  // without_needless_fallback probes at most this many ops
constexpr std::size_t kSingles = 8;          // rank_by_probes probes this many ops one by one
constexpr std::size_t kGroups = 6;           // and the other ops in this many groups
constexpr double kLeastCost = 0.1;           // cheaper ops count as this cheap, because their times are uncertain
constexpr double kExplainedShare = 0.25;     // groups are probed if single ops explain less than this of the distance

class FallbackSearch {
 public:
  FallbackSearch(Replay& replay, const StartingPlan& current) : replay_(replay), current_(current) {}

  // Step 4: find the ops whose fallback may meet the goal and costs least time. The ops with the largest expected noise
  // (quantize/noise.h) per millisecond that int8 saves are first. If half of the ops are not enough, the ops are ranked
  // again with probes. Ops that fall back needlessly return to int8. Empty if no more ops can fall back; nullopt if a
  // probe is needed first.
  std::optional<std::vector<std::string>> run() {
    const auto by_noise = rank_by_noise();
    const std::size_t most = most_to_fall_back(by_noise);
    if (most == 0) return std::vector<std::string>{};
    auto found = find_fewest(by_noise, std::max<std::size_t>(1, most / 2));
    if (!found) return std::nullopt;
    if (!found->enough && most > 1) {
      const auto by_probes = rank_by_probes(by_noise);
      if (!by_probes) return std::nullopt;
      found = find_fewest(*by_probes, most);
      if (!found) return std::nullopt;
    }
    return without_needless_fallback(*found);
  }

 private:
  struct Ranked {
    std::string op;
    PlanKey change;   // change of the plan's key when the op falls back
    double gain = 0;  // decrease of the distance when the op falls back, or the op's share of its group's decrease
    double noise = 0;
    double cost = 1;  // time that the fallback of the op costs, in units of the mean
  };

  std::vector<Ranked> rank_by_noise() const {
    std::vector<Ranked> ranked;
    const std::map<std::string, double>& noise = replay_.space().noise;
    const std::vector<std::string> ops = ops_to_fall_back(replay_.space(), current_.plan);
    const double mean_ms = mean_saved_ms(ops);
    for (const std::string& op : ops) {
      const auto found = noise.find(op);
      const double cost = mean_ms > 0 ? std::max(kLeastCost, saved_ms(replay_.space(), op) / mean_ms) : 1;
      ranked.push_back(
          {op, key_with_fallback(current_.plan, {}, op), 0, found == noise.end() ? 0 : found->second, cost});
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Ranked& a, const Ranked& b) { return a.noise / a.cost > b.noise / b.cost; });
    return ranked;
  }

  double mean_saved_ms(const std::vector<std::string>& ops) const {
    double sum = 0;
    for (const std::string& op : ops) sum += std::max(0.0, saved_ms(replay_.space(), op));
    return ops.empty() ? 0 : sum / static_cast<double>(ops.size());
  }

  // At least one op stays in int8.
  std::size_t most_to_fall_back(const std::vector<Ranked>& ranked) const {
    return ranked.size() == current_.int8_count ? ranked.size() - 1 : ranked.size();
  }

  struct Fewest {
    std::vector<std::string> ops;
    double limit = 0;     // the distance to reach
    bool enough = false;  // whether the ops reach the limit
  };

  // Probes the first 1, 2, 4, ... ops of the ranking, until the distance is small enough or more ops do not help. Then
  // finds the smallest number of ops by bisection.
  std::optional<Fewest> find_fewest(const std::vector<Ranked>& ranking, std::size_t most) {
    const auto known = distance_without(replay_, current_, {});
    if (!known) return std::nullopt;
    const double before = *known;
    std::vector<PlanKey> keys{current_.key};  // keys[n]: the first n ops in fp32
    for (std::size_t i = 0; i < most; ++i) keys.push_back(keys.back().with(ranking[i].change));
    const auto distance_with = [&](std::size_t ops, std::size_t ahead) {
      return replay_.distance(keys[ops], ahead, [&] { return current_.without(first_ops(ranking, ops)); });
    };
    double limit = target_distance(replay_.history(), current_, before), last = before;
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
  std::optional<std::vector<std::string>> without_needless_fallback(const Fewest& fewest) {
    std::vector<std::string> fallback = fewest.ops;
    if (!fewest.enough || fallback.size() < 2 || fallback.size() > kMaxReturnProbes) return fallback;
    std::vector<std::string> candidates = fallback;
    std::stable_sort(candidates.begin(), candidates.end(), [&](const std::string& a, const std::string& b) {
      return saved_ms(replay_.space(), a) > saved_ms(replay_.space(), b);
    });
    std::size_t ahead = candidates.size();
    for (const std::string& op : candidates) {
      std::vector<std::string> fewer = fallback;
      std::erase(fewer, op);
      const auto found = distance_without(replay_, current_, fewer, --ahead);
      if (!found) return std::nullopt;
      if (*found <= fewest.limit && !fewer.empty()) fallback = std::move(fewer);
    }
    return fallback;
  }

  // Ranks ops by the decrease of the distance when they fall back, largest first.
  std::optional<std::vector<Ranked>> rank_by_probes(std::vector<Ranked> ranked) {
    const auto before = distance_without(replay_, current_, {});
    if (!before) return std::nullopt;
    double explained = 0;
    const std::size_t singles = std::min(kSingles, ranked.size());
    for (std::size_t i = 0; i < singles; ++i) {
      const auto after = distance_without(replay_, current_, {ranked[i].op},
                                          singles - 1 - i + (ranked.size() > kSingles ? kGroups : 0));
      if (!after) return std::nullopt;
      ranked[i].gain = gain(*before, *after);
      explained += std::max(0.0, ranked[i].gain);
    }
    if (ranked.size() > kSingles && !(explained >= kExplainedShare * *before) && !rank_by_groups(ranked))
      return std::nullopt;
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Ranked& a, const Ranked& b) { return a.gain / a.cost > b.gain / b.cost; });
    return ranked;
  }

  // Probes the other ops in groups of neighbours. Each op gets an equal share of the gain of its group.
  bool rank_by_groups(std::vector<Ranked>& ranked) {
    std::vector<std::string> others;
    for (const std::string& op : ops_to_fall_back(replay_.space(), current_.plan)) {
      const auto singles = ranked.begin() + static_cast<std::ptrdiff_t>(kSingles);
      if (std::none_of(ranked.begin(), singles, [&](const Ranked& probed) { return probed.op == op; }))
        others.push_back(op);
    }
    const double before = *distance_without(replay_, current_, {});
    const std::size_t size = (others.size() + kGroups - 1) / kGroups;
    std::unordered_map<std::string, double> gains;
    for (std::size_t first = 0; first < others.size(); first += size) {
      const std::vector<std::string> group(
          others.begin() + static_cast<std::ptrdiff_t>(first),
          others.begin() + static_cast<std::ptrdiff_t>(std::min(first + size, others.size())));
      const auto after = distance_without(replay_, current_, group, (others.size() - first - 1) / size);
      if (!after) return false;
      for (const std::string& op : group) gains[op] = gain(before, *after) / static_cast<double>(group.size());
    }
    for (Ranked& op : ranked)
      if (const auto found = gains.find(op.op); found != gains.end()) op.gain = found->second;
    return true;
  }

  static double gain(double before, double after) {
    if (!std::isfinite(after)) return -std::numeric_limits<double>::infinity();
    return std::isfinite(before) ? before - after : 1.0;
  }

  Replay& replay_;
  const StartingPlan& current_;
};

}  // namespace

std::optional<double> distance_without(Replay& replay, const StartingPlan& start, const std::vector<std::string>& ops,
                                       std::size_t ahead) {
  if (ops.size() == start.int8_count) return 0.0;
  PlanKey key = start.key;
  for (const std::string& op : ops) key = key_with_fallback(start.plan, key, op);
  return replay.distance(key, ahead, [&] { return start.without(ops); });
}

double target_distance(const History& history, const StartingPlan& start, double distance) {
  const Trial* known = history.find(start.key);
  if ((known && !known->result) || !std::isfinite(distance)) return 0;
  const double loss = known ? history.goal.loss(known->result->accuracy) : start.expected_loss;
  return loss > 0 ? distance * std::max(0.0, history.goal.allowed_loss()) / loss : 0;
}

double saved_ms(const SearchSpace& space, const std::string& op) {
  const auto found = space.saved_ms.find(op);
  return found == space.saved_ms.end() ? 0 : found->second;
}

std::optional<std::vector<std::string>> choose_fallback(Replay& replay, const StartingPlan& start) {
  return FallbackSearch(replay, start).run();
}

}  // namespace lpot
