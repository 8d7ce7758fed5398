// tpe: a tree of Parzen estimators (Bergstra and others, Algorithms for Hyper-Parameter Optimization, 2011).
//
// The trials so far are split into the better quarter and the rest. For every op, how often its choices stand in each
// part gives two distributions; plans are drawn from that of the better part, and the one is tried for which it is most
// above the other. The schemes of the whole model and a few random plans come first.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lpot/tune/strategies/common.h"

namespace lpot {
namespace {

constexpr std::size_t kFewest = 10;        // trials before the estimates are worth anything
constexpr std::size_t kMostTrials = 1000;  // the last ones are looked at: choices change little by more
constexpr double kBetterShare = 0.25;
constexpr std::size_t kCandidates = 64;

// How probable each choice of an op is among some trials; every choice counts as seen once.
std::vector<double> density(const OpSpace& op, const std::vector<const Trial*>& trials) {
  std::vector<double> counts(op.choices.size(), 1.0);
  for (const Trial* trial : trials) {
    const auto found = std::find(op.choices.begin(), op.choices.end(), trial->plan.ops.at(op.name));
    if (found != op.choices.end()) counts[static_cast<std::size_t>(found - op.choices.begin())] += 1.0;
  }
  for (double& count : counts) count /= static_cast<double>(op.choices.size() + trials.size());
  return counts;
}

std::size_t draw(const std::vector<double>& density, Draws& draws) {
  double point = draws.uniform(0, 1);
  for (std::size_t i = 0; i + 1 < density.size(); ++i)
    if ((point -= density[i]) < 0) return i;
  return density.size() - 1;
}

class Tpe : public Strategy {
 public:
  explicit Tpe(Weights weights) : weights_(weights) {}

  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    if (auto step = untried_scheme(space, history)) return step;
    Draws draws = draws_for(history, "tpe");
    auto plan = history.trials.size() < kFewest ? std::nullopt : proposal(space, history, draws);
    if (!plan) plan = new_random_plan(space, history, draws);
    return plan ? std::optional(Step{*plan}) : std::nullopt;
  }

 private:
  std::optional<Plan> proposal(const SearchSpace& space, const History& history, Draws& draws) const {
    std::vector<const Trial*> better, others;
    const std::size_t first = history.trials.size() > kMostTrials ? history.trials.size() - kMostTrials : 0;
    for (std::size_t i = first; i < history.trials.size(); ++i) others.push_back(&history.trials[i]);
    std::stable_sort(others.begin(), others.end(), [&](const Trial* a, const Trial* b) {
      return utility(*a, history.goal, weights_) > utility(*b, history.goal, weights_);
    });
    const auto count = static_cast<std::ptrdiff_t>(std::ceil(kBetterShare * static_cast<double>(others.size())));
    better.assign(others.begin(), others.begin() + count);
    others.erase(others.begin(), others.begin() + count);

    std::vector<std::vector<double>> good, bad;
    for (const OpSpace& op : space.ops) {
      good.push_back(density(op, better));
      bad.push_back(density(op, others));
    }
    std::optional<Plan> best;
    double best_ratio = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < kCandidates; ++i) {
      Plan plan = better.front()->plan;
      double ratio = 0;
      for (std::size_t op = 0; op < space.ops.size(); ++op) {
        const std::size_t choice = draw(good[op], draws);
        plan.ops[space.ops[op].name] = space.ops[op].choices[choice];
        ratio += std::log(good[op][choice] / bad[op][choice]);
      }
      if (ratio <= best_ratio || plan.int8_count() == 0 || history.find(plan)) continue;
      best = std::move(plan);
      best_ratio = ratio;
    }
    return best;
  }

  Weights weights_;
};

}  // namespace

std::unique_ptr<Strategy> make_tpe_strategy(const Component& component) {
  const auto weight = [&](const char* name) {
    return component.parameters.has(name) ? component.parameters.number(name) : 1.0;
  };
  return std::make_unique<Tpe>(Weights{weight("accuracy_weight"), weight("latency_weight")});
}

}  // namespace lpot
