// tpe: a tree of Parzen estimators (Bergstra et al., Algorithms for Hyper-Parameter Optimization, 2011).
//
// The strategy first tries the schemes for the whole model and a few random plans. Then it splits the trials into the
// better quarter and the rest. The frequencies of an op's choices in both parts give two distributions. Candidate plans
// are drawn from the distribution of the better part. The candidate with the largest ratio of both densities is tried.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "lpot/strategies/common.h"
#include "lpot/strategies/kinds.h"

namespace lpot {
namespace {

constexpr std::size_t kMinTpeTrials = 10;    // fewer trials give no useful estimate
constexpr std::size_t kMaxTpeTrials = 1000;  // only the last trials are used; more change little
constexpr double kBetterShare = 0.25;        // of the trials
constexpr std::size_t kCandidates = 64;      // plans that are drawn for one trial

// The indices of the ops of the space, in the order in which plans store their ops. So `densities` can step through all
// plans at the same time and does not search for each op in each plan.
std::vector<std::size_t> in_order_of_plans(const SearchSpace& space) {
  std::vector<std::size_t> order(space.ops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return space.ops[a].name < space.ops[b].name; });
  return order;
}

using Densities = std::vector<std::vector<double>>;  // of each op, of each of its choices

// The probability of each choice of each op in the trials. Every choice starts with a count of 1.
Densities densities(const SearchSpace& space, const std::vector<std::size_t>& order,
                    const std::vector<const Trial*>& trials) {
  Densities all(space.ops.size());
  std::vector<std::map<std::string, OpPlan>::const_iterator> next_ops;  // of each trial
  for (const Trial* trial : trials) {
    check_number_of_ops(*trial, space);
    next_ops.push_back(trial->plan.ops.begin());
  }
  for (const std::size_t i : order) {
    const std::vector<OpPlan>& choices = space.ops[i].choices;
    std::vector<double> counts(choices.size(), 1.0);
    for (auto& op : next_ops) {
      const auto found = std::find(choices.begin(), choices.end(), op->second);
      if (found != choices.end()) counts[static_cast<std::size_t>(found - choices.begin())] += 1.0;
      ++op;
    }
    for (double& count : counts) count /= static_cast<double>(choices.size() + trials.size());
    all[i] = std::move(counts);
  }
  return all;
}

// A choice of an op: its probability, and its effect on a plan that uses it.
struct Choice {
  double density = 0;  // in the better trials
  double ratio = 0;    // logarithm of the ratio to the density in the other trials
  PlanKey change;      // change of the key of the start plan
  bool is_int8 = false;
};

std::size_t draw(std::span<const Choice> choices, RandomGenerator& draws) {
  double point = draws.uniform(0, 1);
  for (std::size_t i = 0; i + 1 < choices.size(); ++i)
    if ((point -= choices[i].density) < 0) return i;
  return choices.size() - 1;
}

class Tpe : public Strategy {
 public:
  explicit Tpe(Weights weights) : weights_(weights) {}

  std::optional<Step> next(const SearchSpace& space, const History& history) const override {
    if (auto step = first_untried(whole_model_plans(space), space, history)) return step;
    RandomGenerator draws = generator_for(history, "tpe");
    auto plan = history.trials.size() < kMinTpeTrials ? std::nullopt : proposal(space, history, draws);
    if (!plan) plan = random_untried_plan(space, history, draws);
    return plan ? std::optional(Step{*plan}) : std::nullopt;
  }

 private:
  std::optional<Plan> proposal(const SearchSpace& space, const History& history, RandomGenerator& draws) const {
    std::vector<const Trial*> better, others;
    const std::size_t first = history.trials.size() > kMaxTpeTrials ? history.trials.size() - kMaxTpeTrials : 0;
    for (std::size_t i = first; i < history.trials.size(); ++i) others.push_back(&history.trials[i]);
    std::stable_sort(others.begin(), others.end(), [&](const Trial* a, const Trial* b) {
      return utility(*a, history.goal, weights_) > utility(*b, history.goal, weights_);
    });
    const auto count = static_cast<std::ptrdiff_t>(std::ceil(kBetterShare * static_cast<double>(others.size())));
    better.assign(others.begin(), others.begin() + count);
    others.erase(others.begin(), others.begin() + count);

    const std::vector<std::size_t> order = in_order_of_plans(space);
    const Densities good = densities(space, order, better), bad = densities(space, order, others);
    const Plan& start = better.front()->plan;
    std::vector<Choice> choices;  // of all ops, concatenated
    for (std::size_t i = 0; i < space.ops.size(); ++i) {
      const OpPlan& before = start.ops.at(space.ops[i].name);
      for (std::size_t k = 0; k < space.ops[i].choices.size(); ++k) {
        const OpPlan& choice = space.ops[i].choices[k];
        choices.push_back({good[i][k], std::log(good[i][k] / bad[i][k]),
                           PlanKey{}.with(space.ops[i].name, before, choice), choice.is_int8()});
      }
    }
    std::vector<std::size_t> best, drawn(space.ops.size());
    double best_ratio = -std::numeric_limits<double>::infinity();
    const PlanKey start_key = key_of(start);
    for (std::size_t candidate = 0; candidate < kCandidates; ++candidate) {
      PlanKey key = start_key;
      double ratio = 0;
      bool any_int8 = false;
      std::span<const Choice> remaining(choices);
      for (std::size_t i = 0; i < space.ops.size(); ++i) {
        const std::span<const Choice> of_op = remaining.first(good[i].size());
        remaining = remaining.subspan(of_op.size());
        drawn[i] = draw(of_op, draws);
        const Choice& choice = of_op[drawn[i]];
        key = key.with(choice.change);
        ratio += choice.ratio;
        any_int8 = any_int8 || choice.is_int8;
      }
      if (ratio <= best_ratio || !any_int8 || history.find(key)) continue;
      best = drawn;
      best_ratio = ratio;
    }
    if (best.empty()) return std::nullopt;
    Plan plan = start;
    for (std::size_t i = 0; i < space.ops.size(); ++i) plan.ops[space.ops[i].name] = space.ops[i].choices[best[i]];
    return plan;
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
